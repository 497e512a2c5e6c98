; RUN: %opt -passes=annotate-uniform -verify-each -pass-remarks-missed=warpwise -S %s 2>%t | %FileCheck %s
; RUN: %FileCheck --check-prefix=REMARK %s < %t
; A recursive function saves and clears the barrier at which other lanes of its caller wait, and then counters that ptxas knows to
; be uniform are incremented by some lanes alone: a function that may reach such a one is left as it is.
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; REMARK-COUNT-5: remark: {{.*}}left as it is: it may come to a recursive call

; CHECK-NOT: !warpwise.uniform
; CHECK-LABEL: @plain(
; CHECK: ret void, !warpwise.uniform
define ptx_kernel void @direct(i32 %n) {
  call void @again(i32 %n)
  ret void
}
define ptx_kernel void @indirect(ptr %f, i32 %n) {
  call void %f(i32 %n)
  ret void
}
define ptx_kernel void @through(i32 %n) {
  call void @between(i32 %n)
  ret void
}
define ptx_kernel void @plain(i32 %n) {
  call void @leaf(i32 %n)
  ret void
}

define internal void @again(i32 %d) noinline convergent {
entry:
  %none = icmp eq i32 %d, 0
  br i1 %none, label %out, label %more
more:
  %less = sub i32 %d, 1
  call void @again(i32 %less)
  br label %out
out:
  ret void
}
define internal void @between(i32 %d) noinline convergent {
  call void @again(i32 %d)
  ret void
}
define internal void @leaf(i32 %d) noinline {
  ret void
}
