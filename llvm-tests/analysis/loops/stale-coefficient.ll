; A coefficient computed in the loop is another number for lanes that left in another turn.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k() {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 1, %entry ], [ %next, %loop ]
  ; CHECK: %v = affine %i*tid.x{{$}}
  ; CHECK: %v = divergent after the loop of %loop{{$}}
  %v = mul i32 %t, %i
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %t
  ; CHECK: br %more: divergent{{$}}
  br i1 %more, label %loop, label %exit
exit:
  ; CHECK: %div.x = divergent{{$}}
  %div.x = add i32 %v, 0
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
