; The absolute value of what is never negative is itself.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %uni.abs = uniform grid{{$}}
  %uni.abs = call i32 @llvm.abs.i32(i32 %n, i1 false)
  ; CHECK: %aff.abs = affine 1*tid.x{{$}}
  %aff.abs = call i32 @llvm.abs.i32(i32 %t, i1 false)
  %m = add i32 %t, -5
  ; CHECK: %div.abs = divergent{{$}}
  %div.abs = call i32 @llvm.abs.i32(i32 %m, i1 false)
  ret void
}

declare i32 @llvm.abs.i32(i32, i1)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
