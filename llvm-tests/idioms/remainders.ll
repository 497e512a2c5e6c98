; A remainder of a loop's counter is computed in 32 bits, as it is written: LLVM's loop strength reduction makes one of 64 of it.
; RUN: %opt -passes=warpwise -S %s | %FileCheck %s
; RUN: %opt -passes=warpwise -S %s -o %t.ll && %llc -mcpu=sm_90 -o - %t.ll | %FileCheck %s --check-prefix=PTX --implicit-check-not=mul.hi.u64
; RUN: %opt -passes=warpwise -disable-output -pass-remarks=warpwise %s 2>&1 | %FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
; RUN: %opt -passes=warpwise -warpwise-off -S %s -o %t.off.ll && %llc -mcpu=sm_90 -o - %t.off.ll | %FileCheck %s --check-prefix=OFF
; RUN: sed 's/^define .*@sum(.*)/& "warpwise-no-idioms"/' %s | %opt -passes=warpwise -S - | %FileCheck %s --check-prefix=LEFT --implicit-check-not=freeze
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; REMARK: remark: {{.*}} a division of a loop's counter stays one of 32 bits
; CHECK-LABEL: @sum(
; CHECK: %[[REST:.*]] = urem i32 %i, 3
; CHECK-NEXT: %[[FROZEN:.*]] = freeze i32 %[[REST]]
; CHECK-NEXT: zext nneg i32 %[[FROZEN]] to i64
; OFF: mul.hi.u64
; LEFT-LABEL: @sum(
; LEFT: urem i32 %i, 3
; PTX: mul.hi.u32
define ptx_kernel void @sum(ptr addrspace(1) %out, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %loop, label %exit
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %turn = phi i64 [ 0, %entry ], [ %turn.next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %sum.next, %loop ]
  %rest = urem i32 %i, 3
  %wide = zext nneg i32 %rest to i64
  %sum.next = add nuw nsw i64 %sum, %wide
  %i.next = add nuw nsw i32 %i, 1
  %turn.next = add nuw nsw i64 %turn, 1
  %done = icmp eq i64 %turn.next, %n
  br i1 %done, label %exit, label %loop
exit:
  %all = phi i64 [ 0, %entry ], [ %sum.next, %loop ]
  store i64 %all, ptr addrspace(1) %out
  ret void
}

; of no counter, and by a power of two, as they were
; CHECK-LABEL: @others(
; CHECK-NOT: freeze
define ptx_kernel void @others(ptr addrspace(1) %out, i32 %n) {
entry:
  %rest = urem i32 %n, 3
  %wide = zext nneg i32 %rest to i64
  store i64 %wide, ptr addrspace(1) %out
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %half = udiv i32 %i, 2
  %wider = zext nneg i32 %half to i64
  store volatile i64 %wider, ptr addrspace(1) %out
  %i.next = add nuw nsw i32 %i, 1
  %done = icmp eq i32 %i.next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret void
}
