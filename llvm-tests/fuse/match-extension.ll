; A zero extension of what is not negative and a sign extension are one sign extension.
; RUN: %opt -S -passes='fuse-branches<always>' -verify-each %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %in, ptr %out, i32 %x, i32 %y, i32 %z) {
; CHECK-LABEL: define ptx_kernel void @k(
; CHECK-NOT: br i1
; CHECK: %[[S:.*]] = select i1 %c, i32 %x, i32 %y
; CHECK-NEXT: sext i32 %[[S]] to i64
; CHECK-NOT: {{zext|sext}}
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %yes, label %no

yes:
  %a = zext nneg i32 %x to i64
  br label %join

no:
  %b = sext i32 %y to i64
  br label %join

join:
  %r = phi i64 [ %a, %yes ], [ %b, %no ]
  store i64 %r, ptr %out, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
