; A pointer that may be local is as bad as a local one, through phi and select alike.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(ptr %p, i1 %c) {
entry:
  %x = alloca i32
  ; CHECK: %s = uniform grid{{$}}
  %s = select i1 %c, ptr %x, ptr %p
  ; CHECK: %div.s = divergent{{$}}
  %div.s = load i32, ptr %s
  br i1 %c, label %a, label %j
a:
  br label %j
j:
  ; CHECK: %phi = uniform grid{{$}}
  %phi = phi ptr [ %x, %a ], [ %p, %entry ]
  ; CHECK: %div.phi = divergent{{$}}
  %div.phi = load i32, ptr %phi
  ret void
}
