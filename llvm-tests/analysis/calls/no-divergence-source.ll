; `nodivergencesource` is a promise: uniform arguments give a result that the warp agrees on.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

declare i32 @g(i32) nodivergencesource
; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %uni.g = uniform warp{{$}}
  %uni.g = call i32 @g(i32 %n)
  ; CHECK: %div.g = divergent{{$}}
  %div.g = call i32 @g(i32 %t)
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
