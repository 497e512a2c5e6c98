; Lanes that leave in the same turn still agree after the loop.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
entry:
  br label %loop
loop:
  ; CHECK: %i = uniform grid{{$}}
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  ; CHECK: %next = uniform grid{{$}}
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  ; CHECK: br %more: uniform{{$}}
  br i1 %more, label %loop, label %exit
exit:
  ; CHECK: %uni.x = uniform grid{{$}}
  %uni.x = add i32 %next, 0
  ret void
}
