; Where all lanes come by the same edge, an undefined operand may stand for any value.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
entry:
  %c = icmp ult i32 %n, 10
  ; CHECK: br %c: uniform{{$}}
  br i1 %c, label %a, label %b
a:
  br label %j
b:
  br label %j
j:
  ; CHECK: %uni.p = uniform grid{{$}}
  %uni.p = phi i32 [ undef, %a ], [ %n, %b ]
  ret void
}
