; `nsw` proves the signed reading, and only that one.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = add nsw i32 %t, %n
  ; CHECK: %aff.s = affine 1*tid.x + uniform grid{{$}}
  %aff.s = sext i32 %a to i64
  ; CHECK: %div.z = divergent{{$}}
  %div.z = zext i32 %a to i64
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
