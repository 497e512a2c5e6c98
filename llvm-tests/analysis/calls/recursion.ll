; A recursive function claims nothing about its result.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'f'
define internal i32 @f(i32 %x) {
  %y = call i32 @f(i32 %x)
  ret i32 %y
}
; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
  ; CHECK: %div.f = divergent{{$}}
  %div.f = call i32 @f(i32 %n)
  ret void
}
