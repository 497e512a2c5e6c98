; `!invariant.load`: nobody writes it, so the scope of the address counts; a stray pointer may still be local.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(ptr %p) {
  ; CHECK: %uni.i = uniform grid{{$}}
  %uni.i = load i32, ptr %p, !invariant.load !0
  ret void
}
!0 = !{}
