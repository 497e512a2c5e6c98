; Both blocks load both factors. Were the loads invariant, LLVM would compute the product once, and the sum of the other block
; would not be joined with it any more.
;
; RUN: %opt -passes=annotate-uniform -S %s | %FileCheck %s
; RUN: %opt -passes='warpwise<results=contract>' -S %s | %FileCheck %s --check-prefix=ANY

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: @apart(
; CHECK-NOT: !invariant.load
; CHECK: %other = load float, ptr %h, align 4, !invariant.load
; CHECK-NOT: !invariant.load
; CHECK: ret void
; ANY-LABEL: @apart(
; ANY-COUNT-5: !invariant.load
define ptx_kernel void @apart(ptr %out, ptr noalias readonly %f, ptr noalias readonly %g, ptr noalias readonly %h) {
entry:
  %a = load float, ptr %f, align 4
  %b = load float, ptr %g, align 4
  %p = fmul contract float %a, %b
  %other = load float, ptr %h, align 4
  %s = fadd contract float %p, %other
  store float %s, ptr %out, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %more = fcmp ogt float %s, 1.0
  br i1 %more, label %then, label %end
then:
  %a2 = load float, ptr %f, align 4
  %b2 = load float, ptr %g, align 4
  %p2 = fmul contract float %a2, %b2
  %s2 = fadd contract float %p2, %s
  store float %s2, ptr %out, align 4
  br label %end
end:
  ret void
}

; The same in one block: of two products, a sum is joined with the one of fewer uses.
; CHECK-LABEL: @together(
; CHECK-NOT: !invariant.load
; CHECK: ret void
define ptx_kernel void @together(ptr %out, ptr noalias readonly %f, ptr noalias readonly %g) {
  %a = load float, ptr %f, align 4
  %b = load float, ptr %g, align 4
  %p = fmul contract float %a, %b
  %s = fadd contract float %p, 1.0
  store float %s, ptr %out, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %a2 = load float, ptr %f, align 4
  %b2 = load float, ptr %g, align 4
  %p2 = fmul contract float %a2, %b2
  %s2 = fadd contract float %p2, %s
  store float %s2, ptr %out, align 4
  ret void
}

; Two sums of one product, which would be one sum: the product would have one use, and ptxas would join it.
; CHECK-LABEL: @sums(
; CHECK-NOT: !invariant.load
; CHECK: ret void
define ptx_kernel void @sums(ptr %out, ptr noalias readonly %f, float %a) {
entry:
  %p = fmul contract float %a, %a
  %b = load float, ptr %f, align 4
  %s = fadd contract float %p, %b
  store float %s, ptr %out, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %more = fcmp ogt float %s, 1.0
  br i1 %more, label %then, label %end
then:
  %b2 = load float, ptr %f, align 4
  %s2 = fadd contract float %p, %b2
  store float %s2, ptr %out, align 4
  br label %end
end:
  ret void
}

; A product that no sum uses does not matter.
; CHECK-LABEL: @alone(
; CHECK-COUNT-4: !invariant.load
; CHECK: ret void
define ptx_kernel void @alone(ptr %out, ptr noalias readonly %f, ptr noalias readonly %g) {
  %a = load float, ptr %f, align 4
  %b = load float, ptr %g, align 4
  %p = fmul contract float %a, %b
  store float %p, ptr %out, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %a2 = load float, ptr %f, align 4
  %b2 = load float, ptr %g, align 4
  %p2 = fmul contract float %a2, %b2
  store float %p2, ptr %out, align 4
  ret void
}

; Where the ways to a block bring loads of one address, they are one, too, and so are the products.
; CHECK-LABEL: @ways(
; CHECK-NOT: !invariant.load
; CHECK: ret void
define ptx_kernel void @ways(ptr %out, ptr noalias readonly %f, float %b) {
entry:
  %a = load float, ptr %f, align 4
  %p = fmul contract float %a, %b
  %s = fadd contract float %p, 1.0
  store float %s, ptr %out, align 4
  %more = fcmp ogt float %s, 1.0
  br i1 %more, label %then, label %end
then:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %again = load float, ptr %f, align 4
  br label %end
end:
  %a2 = phi float [ %a, %entry ], [ %again, %then ]
  %p2 = fmul contract float %a2, %b
  %s2 = fadd contract float %p2, %s
  store float %s2, ptr %out, align 4
  ret void
}

declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
