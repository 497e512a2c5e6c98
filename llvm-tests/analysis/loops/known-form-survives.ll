; A form without unknown parts is the same formula in every iteration, so leaving early does not hurt it.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k() {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  ; CHECK: %aff.v = affine 1*tid.x + 7{{$}}
  %aff.v = add i32 %t, 7
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %t
  ; CHECK: br %more: divergent{{$}}
  br i1 %more, label %loop, label %exit
exit:
  ; CHECK: %aff.x = affine 1*tid.x + 8{{$}}
  %aff.x = add i32 %aff.v, 1
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
