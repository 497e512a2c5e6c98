; A function that touches no memory may still read the thread index: its body counts, not its attributes.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'f'
define internal i32 @f(i32 %x) memory(none) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %s = add i32 %x, %t
  ret i32 %s
}
declare i32 @g(i32) memory(none)
; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
  ; CHECK: %aff.f = affine 1*tid.x + uniform grid{{$}}
  %aff.f = call i32 @f(i32 %n)
  ; CHECK: %div.g = divergent{{$}}
  %div.g = call i32 @g(i32 %n)
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
