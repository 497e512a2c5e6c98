; A loop without exit: what it computes is classified all the same.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  ; CHECK: %i = uniform grid{{$}}
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  ; CHECK: %a = affine 1*tid.x + uniform grid{{$}}
  %a = phi i32 [ %t, %entry ], [ %a.next, %loop ]
  %next = add i32 %i, 1
  %a.next = add i32 %a, %n
  br label %loop
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
