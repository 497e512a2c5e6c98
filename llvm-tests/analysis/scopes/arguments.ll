; The host passes one value to all threads of a kernel; who calls a device function passes anything.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
  ; CHECK: %u = uniform grid{{$}}
  %u = add i32 %n, 1
  ret void
}
; CHECK-LABEL: affine divergence for 'device'
define i32 @device(i32 %n) {
  ; CHECK: %d = divergent{{$}}
  %d = add i32 %n, 1
  ret i32 %d
}
