; Adding and subtracting a constant are one addition; what was promised about overflow is dropped.
; RUN: %opt -S -passes='fuse-branches<always>' -verify-each %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %in, ptr %out, i32 %x, i32 %y, i32 %z) {
; CHECK-LABEL: define ptx_kernel void @k(
; CHECK-NOT: br i1
; CHECK: %[[S:.*]] = select i1 %c, i32 %y, i32 -7
; CHECK-NEXT: %[[M:.*]] = add i32 %x, %[[S]]
; CHECK-NOT: {{add|sub}}
; CHECK: phi i32 [ %[[M]], %entry ]
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %yes, label %no

yes:
  %a = add nsw i32 %x, %y
  br label %join

no:
  %b = sub nsw i32 %x, 7
  br label %join

join:
  %r = phi i32 [ %a, %yes ], [ %b, %no ]
  store i32 %r, ptr %out, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
