; Sides behind a condition of several parts: all edges are led to one block, whose phi says which side.
; RUN: %opt -S -passes='fuse-branches' -verify-each %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %in, ptr %out, i32 %x, i32 %y) {
; CHECK-LABEL: define ptx_kernel void @k(
; CHECK: br i1 %c, label %[[SECOND:.*]], label %fuse.hub
; CHECK: fuse.hub:
; CHECK: %[[SIDE:.*]] = phi i1
; CHECK: select i1 %[[SIDE]]
; CHECK-COUNT-1: sdiv
; CHECK-NOT: sdiv
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %second, label %no

second:
  %d = icmp slt i32 %t, %x
  br i1 %d, label %yes, label %no

yes:
  %a = sdiv i32 %t, %x
  store i32 %a, ptr %in, align 4
  br label %join

no:
  %b = sdiv i32 %t, %y
  store i32 %b, ptr %in, align 4
  br label %join

join:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
