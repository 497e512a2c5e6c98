; x < y and z > x are one compare.
; RUN: %opt -S -passes='fuse-branches<always>' -verify-each %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %in, ptr %out, i32 %x, i32 %y, i32 %z) {
; CHECK-LABEL: define ptx_kernel void @k(
; CHECK-NOT: br i1
; CHECK: %[[S:.*]] = select i1 %c, i32 %y, i32 %z
; CHECK-NEXT: icmp slt i32 %x, %[[S]]
; CHECK-NOT: icmp
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %yes, label %no

yes:
  %p = icmp slt i32 %x, %y
  %a = zext i1 %p to i32
  br label %join

no:
  %q = icmp sgt i32 %z, %x
  %b = zext i1 %q to i32
  br label %join

join:
  %r = phi i32 [ %a, %yes ], [ %b, %no ]
  store i32 %r, ptr %out, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
