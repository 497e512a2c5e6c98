; A symbol remembers how it was extended; a truncated form of an extended symbol is not taken apart.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = mul nsw i32 %t, %n
  ; CHECK: %s = affine sext(%n)*tid.x + uniform grid{{$}}
  %s = sext i32 %a to i64
  ; CHECK: %x4 = affine 4*sext(%n)*tid.x + uniform grid{{$}}
  %x4 = shl i64 %s, 2
  ; CHECK: %uni.d = uniform grid{{$}}
  %y4 = mul i64 %s, 4
  %uni.d = sub i64 %x4, %y4
  %w = mul i32 %t, %n
  ; CHECK: %div.s = divergent{{$}}
  %div.s = sext i32 %w to i64
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
