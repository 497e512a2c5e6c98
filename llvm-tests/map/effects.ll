; RUN: %opt -passes='divergence-map,early-cse' -S %s | %FileCheck %s
; Calls of a counted function are no longer merged, and neither are those of its callers: each of them counts.
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define internal i32 @counted(
; CHECK-SAME: [[WITH:#[0-9]+]]
define internal i32 @counted(i32 %x) #0 {
entry:
  %c = icmp sgt i32 %x, 3
  br i1 %c, label %then, label %exit
then:
  br label %exit
exit:
  %r = phi i32 [ 1, %then ], [ %x, %entry ]
  ret i32 %r
}

; CHECK-LABEL: define internal i32 @caller(
; CHECK-SAME: [[WITH]]
define internal i32 @caller(i32 %x) #0 {
  %r = call i32 @counted(i32 %x) #0
  ret i32 %r
}

; CHECK-LABEL: define internal i32 @plain(
; CHECK-SAME: [[WITHOUT:#[0-9]+]]
define internal i32 @plain(i32 %x) #0 {
  %r = add i32 %x, 1
  ret i32 %r
}

; CHECK-LABEL: define ptx_kernel void @k(
; CHECK-COUNT-2: call i32 @counted(
; CHECK-COUNT-2: call i32 @caller(
; CHECK: call i32 @plain(
; CHECK-NOT: call i32 @plain(
; CHECK: attributes [[WITH]] = { convergent noinline nounwind willreturn }
; CHECK: attributes [[WITHOUT]] = { noinline nounwind speculatable willreturn memory(none) }
define ptx_kernel void @k(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = call i32 @counted(i32 %t) #0
  %b = call i32 @counted(i32 %t) #0
  %c = call i32 @caller(i32 %t) #0
  %d = call i32 @caller(i32 %t) #0
  %e = call i32 @plain(i32 %t) #0
  %f = call i32 @plain(i32 %t) #0
  %ab = add i32 %a, %b
  %cd = add i32 %c, %d
  %ef = add i32 %e, %f
  %abcd = add i32 %ab, %cd
  %all = add i32 %abcd, %ef
  store i32 %all, ptr %p
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { noinline nounwind memory(none) willreturn speculatable }
