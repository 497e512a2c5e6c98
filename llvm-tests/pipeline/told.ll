; Asking for remarks changes no code: a branch that is refused before inlining, since products and sums are not known yet, stays
; refused.
; RUN: %opt -passes='default<O2>' -S %s -o %t.ll
; RUN: %opt -passes='default<O2>' -pass-remarks=warpwise -pass-remarks-missed=warpwise -pass-remarks-analysis=warpwise -S %s -o %t.told.ll
; RUN: diff %t.ll %t.told.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
define void @sides(ptr %p, i32 %t, float %x, float %y) noinline {
entry:
  %m = fmul contract float %x, %y
  %s = fadd contract float %m, %x
  store float %s, ptr %p
  %even = and i32 %t, 1
  %c = icmp eq i32 %even, 0
  br i1 %c, label %a, label %b
a:
  %a1 = fdiv float %x, 3.0
  %a2 = call float @llvm.sqrt.f32(float %a1)
  %a3 = fdiv float %a2, %y
  %a4 = fdiv float %a3, 7.0
  %ap = getelementptr float, ptr %p, i64 1
  store float %a4, ptr %ap
  br label %end
b:
  %b1 = fdiv float %y, 5.0
  %b2 = call float @llvm.sqrt.f32(float %b1)
  %b3 = fdiv float %b2, %x
  %b4 = fdiv float %b3, 9.0
  %bp = getelementptr float, ptr %p, i64 2
  store float %b4, ptr %bp
  br label %end
end:
  ret void
}
define ptx_kernel void @k(ptr %p, float %x, float %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %q = getelementptr [4 x float], ptr %p, i64 %i
  call void @sides(ptr %q, i32 %t, float %x, float %y)
  ret void
}
