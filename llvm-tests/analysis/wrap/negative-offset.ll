; `tid.x - 5` is negative for five threads: exact as a signed number, not as an unsigned one.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %a = affine 1*tid.x + -5{{$}}
  %a = add i32 %t, -5
  ; CHECK: %aff.s = affine 1*tid.x + -5{{$}}
  %aff.s = sext i32 %a to i64
  ; CHECK: %div.z = divergent{{$}}
  %div.z = zext i32 %a to i64
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
