; A loop that starts at the thread index and adds something uniform keeps the index; the bound cancels it only with a proof.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n, i32 %m) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %end = affine 1*tid.x + uniform grid{{$}}
  %end = add nsw i32 %t, %m
  br label %loop
loop:
  ; CHECK: %i = affine 1*tid.x + uniform grid{{$}}
  %i = phi i32 [ %t, %entry ], [ %next, %loop ]
  ; CHECK: %next = affine 1*tid.x + uniform grid{{$}}
  %next = add nsw i32 %i, %n
  ; CHECK: %uni.c = uniform grid{{$}}
  %uni.c = icmp slt i32 %next, %end
  ; CHECK: %div.c = divergent{{$}}
  %div.c = icmp ult i32 %next, %end
  ; CHECK: br %uni.c: uniform{{$}}
  br i1 %uni.c, label %loop, label %exit
exit:
  ; CHECK: %aff.x = affine 1*tid.x + uniform grid{{$}}
  %aff.x = phi i32 [ %next, %loop ]
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
