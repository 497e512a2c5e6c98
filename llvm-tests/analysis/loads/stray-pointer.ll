; A pointer from memory may point to a stack object only if some stack object escapes in the module. Here none does.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(ptr %pp) {
  ; CHECK: %p = uniform warp{{$}}
  %p = load ptr, ptr %pp
  ; CHECK: %uni.v = uniform warp{{$}}
  %uni.v = load i32, ptr %p
  ret void
}
