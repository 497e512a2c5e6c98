; It knows control dependence and temporal divergence as the affine one does.
;
; RUN: %opt -passes='print<affine-divergence<simple>>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, %n
  ; CHECK: br %c: divergent{{$}}
  br i1 %c, label %a, label %j
a:
  br label %j
j:
  ; CHECK: %div.p = divergent{{$}}
  %div.p = phi i32 [ 1, %a ], [ 2, %entry ]
  br label %loop
loop:
  ; CHECK: %i = uniform grid{{$}}
  %i = phi i32 [ 0, %j ], [ %next, %loop ]
  ; CHECK: %next = uniform grid{{$}}
  ; CHECK: %next = divergent after the loop of %loop{{$}}
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %t
  br i1 %more, label %loop, label %exit
exit:
  ; CHECK: %div.x = divergent{{$}}
  %div.x = add i32 %next, 0
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
