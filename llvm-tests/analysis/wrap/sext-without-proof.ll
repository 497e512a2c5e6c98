; A sum that may wrap is affine modulo 2^32, but says nothing about its 64-bit reading.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %a = affine 1*tid.x + uniform grid{{$}}
  %a = add i32 %t, %n
  ; CHECK: %div.s = divergent{{$}}
  %div.s = sext i32 %a to i64
  ; CHECK: %div.z = divergent{{$}}
  %div.z = zext i32 %a to i64
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
