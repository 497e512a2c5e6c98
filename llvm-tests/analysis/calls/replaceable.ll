; Another module may bring another body for a weak function; for a `_odr` one only the same.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'f'
define weak i32 @f(i32 %x) {
  ret i32 %x
}
; CHECK-LABEL: affine divergence for 'g'
define linkonce_odr i32 @g(i32 %x) {
  ret i32 %x
}
; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
  ; CHECK: %div.f = divergent{{$}}
  %div.f = call i32 @f(i32 %n)
  ret void
}
