; Lanes that skip part of a turn meet at the latch; a value that only some of them updated is divergent.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %head
head:
  ; CHECK: %i = uniform grid{{$}}
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  ; CHECK: %sum = divergent{{$}}
  %sum = phi i32 [ 0, %entry ], [ %sum.next, %latch ]
  %skip = icmp ult i32 %t, %i
  ; CHECK: br %skip: divergent{{$}}
  br i1 %skip, label %latch, label %work
work:
  %more.sum = add i32 %sum, %i
  br label %latch
latch:
  ; CHECK: %sum.next = divergent{{$}}
  %sum.next = phi i32 [ %sum, %head ], [ %more.sum, %work ]
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  ; CHECK: br %more: uniform{{$}}
  br i1 %more, label %head, label %exit
exit:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
