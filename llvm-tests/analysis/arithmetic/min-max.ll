; The minimum of uniform values is uniform; of equal terms the terms remain, if no part wraps; otherwise nothing.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %uni.min = uniform grid{{$}}
  %uni.min = call i32 @llvm.smin.i32(i32 %n, i32 4)
  ; CHECK: %div.min = divergent{{$}}
  %div.min = call i32 @llvm.umin.i32(i32 %t, i32 4)
  %a = add i32 %t, 5
  ; CHECK: %aff.max = affine 1*tid.x + uniform grid{{$}}
  %aff.max = call i32 @llvm.umax.i32(i32 %a, i32 %t)
  %w = add i32 %t, %n
  ; CHECK: %div.max = divergent{{$}}
  %div.max = call i32 @llvm.smax.i32(i32 %w, i32 %t)
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.umax.i32(i32, i32)
declare i32 @llvm.umin.i32(i32, i32)
