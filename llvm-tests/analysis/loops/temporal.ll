; Lanes agree on the counter while they are in the loop together; after it each holds the turn in which it left.
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
  ; CHECK: %next = uniform grid{{$}}
  ; CHECK: %next = divergent after the loop of %loop{{$}}
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %t
  ; CHECK: br %more: divergent{{$}}
  br i1 %more, label %loop, label %exit
exit:
  ; CHECK: %div.x = divergent{{$}}
  %div.x = add i32 %next, 0
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
