; Nobody knows what a pointer calls.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(ptr %f, i32 %n) {
  ; CHECK: %div.r = divergent{{$}}
  %div.r = call i32 %f(i32 %n)
  ret void
}
