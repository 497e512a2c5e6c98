; A pointer from memory may point to a stack object, since one escapes: the same address holds other contents in each thread.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(ptr %pp) {
  %x = alloca i32
  store ptr %x, ptr %pp
  ; CHECK: %p = uniform warp{{$}}
  %p = load ptr, ptr %pp
  ; CHECK: %div.v = divergent{{$}}
  %div.v = load i32, ptr %p
  ; CHECK: %uni.pp = uniform warp{{$}}
  %uni.pp = load i32, ptr %pp
  ret void
}
