; An intrinsic with selected arguments, commuted where that saves a select.
; RUN: %opt -S -passes='fuse-branches<always>' -verify-each %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %in, ptr %out, i32 %x, i32 %y, i32 %z) {
; CHECK-LABEL: define ptx_kernel void @k(
; CHECK-NOT: br i1
; CHECK: %[[S:.*]] = select i1 %c, i32 %y, i32 %z
; CHECK-NEXT: call i32 @llvm.smax.i32(i32 %x, i32 %[[S]])
; CHECK-NOT: call i32 @llvm.smax
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %yes, label %no

yes:
  %a = call i32 @llvm.smax.i32(i32 %x, i32 %y)
  br label %join

no:
  %b = call i32 @llvm.smax.i32(i32 %z, i32 %x)
  br label %join

join:
  %r = phi i32 [ %a, %yes ], [ %b, %no ]
  store i32 %r, ptr %out, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.smax.i32(i32, i32)
