; The same through a phi at the exit, and for a value of the turn before.
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
  ; CHECK: %i = divergent after the loop of %loop{{$}}
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %t
  br i1 %more, label %loop, label %exit
exit:
  ; CHECK: %div.lcssa = divergent{{$}}
  %div.lcssa = phi i32 [ %i, %loop ]
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
