; A loop that clears the lowest bit of a number until none is left is one instruction; with only, and not where more is in the
; loop, or the number is wanted afterwards.
; RUN: %opt -passes=idioms -S %s | %FileCheck %s
; RUN: %opt -passes=idioms -disable-output -pass-remarks=warpwise %s 2>&1 | %FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
; RUN: sed 's/^define .*)/& "warpwise-off"/' %s | %opt -passes=idioms -S - | %FileCheck %s --check-prefix=OFF --implicit-check-not=ctpop
; RUN: %opt -passes='default<O2>' -S %s | %FileCheck %s --check-prefix=DEFAULT
; OFF: define ptx_kernel void @guarded(
; DEFAULT-LABEL: @guarded(
; DEFAULT: call range(i32 {{.*}}) i32 @llvm.ctpop.i32
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; REMARK: remark: {{.*}} a loop that counts bits one by one is one instruction
; REMARK: remark: {{.*}} a loop that counts bits one by one is one instruction
; CHECK-LABEL: @guarded(
; CHECK-NOT: br i1 %done
; CHECK: call {{.*}}i32 @llvm.ctpop.i32(i32 %x)
; CHECK: store i32
define ptx_kernel void @guarded(i32 %x, ptr addrspace(1) %out) {
entry:
  %none = icmp eq i32 %x, 0
  br i1 %none, label %exit, label %loop
loop:
  %n = phi i32 [ %n.next, %loop ], [ 0, %entry ]
  %v = phi i32 [ %rest, %loop ], [ %x, %entry ]
  %less = add i32 %v, -1
  %rest = and i32 %less, %v
  %n.next = add nuw nsw i32 %n, 1
  %done = icmp eq i32 %rest, 0
  br i1 %done, label %exit, label %loop
exit:
  %count = phi i32 [ 0, %entry ], [ %n.next, %loop ]
  store i32 %count, ptr addrspace(1) %out
  ret void
}

; CHECK: ret void
; CHECK-LABEL: @wide(
; CHECK: call {{.*}}i64 @llvm.ctpop.i64(i64 %x)
; CHECK: call {{.*}}@llvm.umax.i64({{.*}}i64 1)
; CHECK: trunc {{.*}}i64 {{.*}} to i32
; CHECK: add i32 {{.*}}%start
define ptx_kernel void @wide(i64 %x, i32 %start, ptr addrspace(1) %out) {
entry:
  br label %loop
loop:
  %v = phi i64 [ %x, %entry ], [ %rest, %loop ]
  %n = phi i32 [ %start, %entry ], [ %n.next, %loop ]
  %n.next = add i32 %n, 1
  %less = add i64 %v, -1
  %rest = and i64 %v, %less
  %more = icmp ne i64 %rest, 0
  br i1 %more, label %loop, label %exit
exit:
  store i32 %n.next, ptr addrspace(1) %out
  ret void
}

; the number that is left is wanted; a store in the loop; another step; another number
; CHECK-LABEL: @number_wanted(
; CHECK-NOT: ctpop
define ptx_kernel void @number_wanted(i32 %x, ptr addrspace(1) %out) {
entry:
  br label %loop
loop:
  %v = phi i32 [ %x, %entry ], [ %rest, %loop ]
  %n = phi i32 [ 0, %entry ], [ %n.next, %loop ]
  %n.next = add i32 %n, 1
  %less = add i32 %v, -1
  %rest = and i32 %v, %less
  %more = icmp ne i32 %rest, 0
  br i1 %more, label %loop, label %exit
exit:
  %both = add i32 %n.next, %v
  store i32 %both, ptr addrspace(1) %out
  ret void
}
; CHECK-LABEL: @stores(
; CHECK-NOT: ctpop
define ptx_kernel void @stores(i32 %x, ptr addrspace(1) %out) {
entry:
  br label %loop
loop:
  %v = phi i32 [ %x, %entry ], [ %rest, %loop ]
  %n = phi i32 [ 0, %entry ], [ %n.next, %loop ]
  %n.next = add i32 %n, 1
  store volatile i32 %n, ptr addrspace(1) %out
  %less = add i32 %v, -1
  %rest = and i32 %v, %less
  %more = icmp ne i32 %rest, 0
  br i1 %more, label %loop, label %exit
exit:
  store i32 %n.next, ptr addrspace(1) %out
  ret void
}
; CHECK-LABEL: @two_at_once(
; CHECK-NOT: ctpop
define ptx_kernel void @two_at_once(i32 %x, ptr addrspace(1) %out) {
entry:
  br label %loop
loop:
  %v = phi i32 [ %x, %entry ], [ %rest, %loop ]
  %n = phi i32 [ 0, %entry ], [ %n.next, %loop ]
  %n.next = add i32 %n, 2
  %less = add i32 %v, -1
  %rest = and i32 %v, %less
  %more = icmp ne i32 %rest, 0
  br i1 %more, label %loop, label %exit
exit:
  store i32 %n.next, ptr addrspace(1) %out
  ret void
}
; CHECK-LABEL: @halves(
; CHECK-NOT: ctpop
define ptx_kernel void @halves(i32 %x, ptr addrspace(1) %out) {
entry:
  br label %loop
loop:
  %v = phi i32 [ %x, %entry ], [ %rest, %loop ]
  %n = phi i32 [ 0, %entry ], [ %n.next, %loop ]
  %n.next = add i32 %n, 1
  %less = add i32 %x, -1
  %rest = and i32 %v, %less
  %more = icmp ne i32 %rest, 0
  br i1 %more, label %loop, label %exit
exit:
  store i32 %n.next, ptr addrspace(1) %out
  ret void
}
; CHECK-LABEL: @switched_off(
; CHECK-NOT: ctpop
; CHECK: ret void
define ptx_kernel void @switched_off(i32 %x, ptr addrspace(1) %out) "warpwise-off" {
entry:
  br label %loop
loop:
  %v = phi i32 [ %x, %entry ], [ %rest, %loop ]
  %n = phi i32 [ 0, %entry ], [ %n.next, %loop ]
  %n.next = add i32 %n, 1
  %less = add i32 %v, -1
  %rest = and i32 %v, %less
  %more = icmp ne i32 %rest, 0
  br i1 %more, label %loop, label %exit
exit:
  store i32 %n.next, ptr addrspace(1) %out
  ret void
}
