; `~x` is `-1 - x`.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %aff.not = affine -1*tid.x + -1{{$}}
  %aff.not = xor i32 %t, -1
  ; CHECK: %aff.neg = affine -1*tid.x{{$}}
  %aff.neg = sub i32 0, %t
  ; CHECK: %div.xor = divergent{{$}}
  %div.xor = xor i32 %t, 5
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
