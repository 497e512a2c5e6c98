; The printer runs on modules and on functions; require and invalidate work like those of LLVM's own analyses.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -passes='function(print<affine-divergence>)' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -passes='require<affine-divergence>,print<affine-divergence>,invalidate<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -passes='function(require<affine-divergence>,instcombine,print<affine-divergence>)' -disable-output %s 2>&1 | %FileCheck %s --check-prefix=FRESH

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'f'
; CHECK: %x = affine 1*tid.x
; CHECK-LABEL: affine divergence for 'k'
; CHECK: %t = affine 1*tid.x
; CHECK: %u = affine 1*tid.x + 2
; CHECK: %v = affine 1*tid.x + 3
; FRESH-LABEL: affine divergence for 'k'
; FRESH-NOT: %u
; FRESH: %v = affine 1*tid.x + 3
define internal i32 @f(i32 %a) {
  %x = add i32 %a, 0
  ret i32 %x
}

define ptx_kernel void @k(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %u = add i32 %t, 2
  %v = add i32 %u, 1
  %r = call i32 @f(i32 %t)
  %s = add i32 %r, %v
  store i32 %s, ptr %p
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
