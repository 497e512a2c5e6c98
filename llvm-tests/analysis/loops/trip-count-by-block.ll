; A trip count by block: after the loop the block agrees, the grid does not.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  br label %loop
loop:
  ; CHECK: %i = uniform grid{{$}}
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  ; CHECK: %more = uniform block{{$}}
  %more = icmp ult i32 %next, %b
  br i1 %more, label %loop, label %exit
exit:
  ; CHECK: %uni.x = uniform block{{$}}
  %uni.x = phi i32 [ %next, %loop ]
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
