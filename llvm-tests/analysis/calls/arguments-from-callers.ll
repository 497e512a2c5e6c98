; A function that only this module calls gets the join of what its callers pass.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'f'
define internal void @f(i32 %same, i32 %other, i32 %index, i32 %mixed) {
  ; CHECK: %s = constant 3{{$}}
  %s = add i32 %same, 0
  ; CHECK: %o = uniform grid{{$}}
  %o = add i32 %other, 0
  ; CHECK: %i = affine 1*tid.x{{$}}
  %i = add i32 %index, 0
  ; CHECK: %m = divergent{{$}}
  %m = add i32 %mixed, 0
  ret void
}
; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  call void @f(i32 3, i32 1, i32 %t, i32 %t)
  call void @f(i32 3, i32 2, i32 %t, i32 %n)
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
