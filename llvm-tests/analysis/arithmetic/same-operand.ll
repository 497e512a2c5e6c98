; A value less itself is zero, and a mask may hide what a shift spoils, whatever is known of the value.
;
; RUN: %opt -passes='print<affine-divergence<block=256>>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %x = constant 0
  %x = xor i32 %t, %t
  ; CHECK: %s = constant 0
  %s = sub i32 %t, %t
  %v = load i32, ptr %p
  %f = sub i32 %v, %t
  ; CHECK: %y = constant 0
  %y = xor i32 %f, %f
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
