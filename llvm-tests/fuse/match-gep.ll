; Address arithmetic over the same element type.
; RUN: %opt -S -passes='fuse-branches<always>' -verify-each %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %in, ptr %out, i32 %x, i32 %y, i32 %z) {
; CHECK-LABEL: define ptx_kernel void @k(
; CHECK-NOT: br i1
; CHECK: %[[S:.*]] = select i1 %c, i32 %x, i32 %y
; CHECK-NEXT: %[[G:.*]] = getelementptr i32, ptr %in, i32 %[[S]]
; CHECK-NEXT: load i32, ptr %[[G]]
; CHECK-NOT: load
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %yes, label %no

yes:
  %p = getelementptr inbounds i32, ptr %in, i32 %x
  %a = load i32, ptr %p, align 4
  br label %join

no:
  %q = getelementptr i32, ptr %in, i32 %y
  %b = load i32, ptr %q, align 4
  br label %join

join:
  %r = phi i32 [ %a, %yes ], [ %b, %no ]
  store i32 %r, ptr %out, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
