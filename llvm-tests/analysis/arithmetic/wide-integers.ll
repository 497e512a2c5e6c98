; Integers wider than 64 bits have no forms.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i128 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %uni.s = uniform grid{{$}}
  %uni.s = shl i128 %n, 70
  ; CHECK: %w = divergent{{$}}
  %w = zext i32 %t to i128
  ; CHECK: %div.a = divergent{{$}}
  %div.a = add i128 %w, %n
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
