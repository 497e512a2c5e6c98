; Another module may bring another body for a weak function; for a `_odr` one only one of the same source, which computes the
; same if it accesses no memory.
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
; another body may have merged the loads, between which other threads may store
; CHECK-LABEL: affine divergence for 'h'
define linkonce_odr i32 @h(ptr %p) {
  %a = load i32, ptr %p
  ret i32 %a
}
; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n, ptr %p) {
  ; CHECK: %div.f = divergent{{$}}
  %div.f = call i32 @f(i32 %n)
  ; CHECK: %uni.g = uniform grid{{$}}
  %uni.g = call i32 @g(i32 %n)
  ; CHECK: %div.h = divergent{{$}}
  %div.h = call i32 @h(ptr %p)
  ret void
}
