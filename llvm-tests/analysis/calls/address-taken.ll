; A function whose address is taken may be called by anyone with anything.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

@table = constant ptr @f
; CHECK-LABEL: affine divergence for 'f'
define internal i32 @f(i32 %x) {
  ; CHECK: %div.x = divergent{{$}}
  %div.x = add i32 %x, 1
  ret i32 %div.x
}
; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
  ; CHECK: %u = uniform grid{{$}}
  %u = call i32 @f(i32 %n)
  ret void
}
