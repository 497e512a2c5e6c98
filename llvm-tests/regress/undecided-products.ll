; What becomes a multiply-add may depend on whatever else is in a block. A loop brings a product of one iteration to a sum of the
; next: if ptxas unrolls the loop, it joins the two, and whether it does depends on what is in the loop. So nothing changes in
; the function, unless results may change or the two cannot be joined.
; RUN: %opt -passes=fuse-branches,annotate-uniform,warpwise -S -pass-remarks-missed=warpwise %s 2>%t.remarks | %FileCheck %s
; RUN: %FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
; RUN: %opt -passes='fuse-branches,annotate-uniform,warpwise<results=contract>' -warpwise-results=contract -S %s | \
; RUN:   %FileCheck %s --check-prefix=ANY
; REMARK-DAG: divergent branch not fused: other products and sums could become multiply-adds
; REMARK-DAG: it stays as it is: with other code beside them, other products and sums could become multiply-adds
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: @branch(
; CHECK: br i1 %odd
; ANY-LABEL: @branch(
; ANY-NOT: br i1 %odd
define ptx_kernel void @branch(ptr addrspace(1) %out, float %a, i32 %n, i32 %x) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %join ]
  %v = phi float [ 0.0, %entry ], [ %product, %join ]
  %h = phi i32 [ 0, %entry ], [ %m, %join ]
  %bit = add i32 %t, %h
  %odd = trunc i32 %bit to i1
  br i1 %odd, label %yes, label %no
yes:
  %y1 = mul i32 %h, %x
  %y2 = xor i32 %y1, %n
  %y3 = udiv i32 %y2, %x
  br label %join
no:
  %n1 = mul i32 %h, %n
  %n2 = xor i32 %n1, %x
  %n3 = udiv i32 %n2, %n
  br label %join
join:
  %m = phi i32 [ %y3, %yes ], [ %n3, %no ]
  %sum = fadd contract float %v, %a
  %product = fmul contract float %sum, %a
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  store float %product, ptr addrspace(1) %out
  %to = getelementptr i32, ptr addrspace(1) %out, i32 1
  store i32 %m, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: @load_and_copy(
; CHECK: load i32, ptr addrspace(1) %from, align 4, !warpwise
; CHECK: call void @llvm.memcpy
; ANY-LABEL: @load_and_copy(
; ANY: load i32, ptr addrspace(1) %from, align 4, !invariant.load
; ANY-NOT: call void @llvm.memcpy
define ptx_kernel void @load_and_copy(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias readonly %in, float %a, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = phi float [ 0.0, %entry ], [ %product, %loop ]
  %from = getelementptr i32, ptr addrspace(1) %in, i32 %i
  %w = load i32, ptr addrspace(1) %from, align 4
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %w
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) align 4 %to, ptr addrspace(1) align 4 %from, i64 16, i1 false)
  %sum = fsub contract float %a, %v
  %product = fmul contract float %sum, %a
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  store float %product, ptr addrspace(1) %out
  ret void
}

; LLVM copies a block of two instructions to the ways that lead to it, which the second load's block is once its value is known.
; CHECK-LABEL: @small(
; CHECK: %same = load float, ptr addrspace(1) %in, align 4{{(, !warpwise.*)?}}{{$}}
define ptx_kernel void @small(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias readonly %in, float %a, i1 %more) {
entry:
  %known = load float, ptr addrspace(1) %in, align 4
  store float %known, ptr addrspace(1) %out
  br i1 %more, label %multiply, label %add
multiply:
  %product = fmul contract float %a, %a
  br label %add
add:
  %either = phi float [ %a, %entry ], [ %product, %multiply ]
  %same = load float, ptr addrspace(1) %in, align 4
  %sum = fadd contract float %either, %same
  br label %end
end:
  store float %sum, ptr addrspace(1) %out
  ret void
}

; The product is rounded alone in any case.
; CHECK-LABEL: @apart(
; CHECK: load i32, ptr addrspace(1) %from, align 4, !invariant.load
; CHECK-NOT: call void @llvm.memcpy
define ptx_kernel void @apart(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias readonly %in, float %a, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = phi float [ 0.0, %entry ], [ %product, %loop ]
  %from = getelementptr i32, ptr addrspace(1) %in, i32 %i
  %w = load i32, ptr addrspace(1) %from, align 4
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %w
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) align 4 %to, ptr addrspace(1) align 4 %from, i64 16, i1 false)
  %sum = fsub contract float %a, %v
  %product = fmul float %sum, %a
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  store float %product, ptr addrspace(1) %out
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)
