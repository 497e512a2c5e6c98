; An or is a sum where no bit can be set on both sides.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x4 = shl i32 %t, 2
  %aff.or = or i32 %x4, 3
  ; CHECK: %aff.dis = affine 4*tid.x + 1{{$}}
  %aff.dis = or disjoint i32 %x4, 1
  %base = shl i32 %n, 10
  ; CHECK: %aff.block = affine 1*tid.x + uniform grid{{$}}
  %aff.block = or i32 %base, %t
  %base9 = shl i32 %n, 9
  ; CHECK: %div.block = divergent{{$}}
  %div.block = or i32 %base9, %t
  ; CHECK: %aff.xor = affine 1*tid.x + uniform grid{{$}}
  %aff.xor = xor i32 %base, %t
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
