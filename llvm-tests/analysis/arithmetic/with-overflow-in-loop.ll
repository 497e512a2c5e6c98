; Checked arithmetic on a loop variable follows the variable, although the pair as a whole never changes its class.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  ; CHECK: %i = affine 1*tid.x + uniform grid{{$}}
  %i = phi i32 [ %t, %entry ], [ %aff.next, %loop ]
  %s = call {i32, i1} @llvm.sadd.with.overflow.i32(i32 %i, i32 1)
  ; CHECK: %aff.next = affine 1*tid.x + uniform grid{{$}}
  %aff.next = extractvalue {i32, i1} %s, 0
  %c = icmp eq i32 %aff.next, %n
  br i1 %c, label %exit, label %loop
exit:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare {i32, i1} @llvm.sadd.with.overflow.i32(i32, i32)
