; What another agent may change between two lanes is divergent, even at one address.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(ptr %p) {
  ; CHECK: %div.v = divergent{{$}}
  %div.v = load volatile i32, ptr %p
  ; CHECK: %div.a = divergent{{$}}
  %div.a = load atomic i32, ptr %p monotonic, align 4
  ; CHECK: %uni.l = uniform warp{{$}}
  %uni.l = load i32, ptr %p
  ret void
}
