; Loads and stores through a selected address; alignment and !tbaa of both.
; RUN: %opt -S -passes='fuse-branches<always>' -verify-each %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %in, ptr %out, i32 %x, i32 %y, i32 %z) {
; CHECK-LABEL: define ptx_kernel void @k(
; CHECK-NOT: br i1
; CHECK: %[[P:.*]] = select i1 %c, ptr %in, ptr %out
; CHECK-NEXT: %[[V:.*]] = load i32, ptr %[[P]], align 4
; CHECK-NOT: !tbaa
; CHECK: store i32 {{.*}}, ptr %[[P]], align 4
; CHECK-NOT: load
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %yes, label %no

yes:
  %a = load i32, ptr %in, align 16
  %a1 = add i32 %a, %x
  store i32 %a1, ptr %in, align 4
  br label %join

no:
  %b = load i32, ptr %out, align 4
  %b1 = add i32 %b, %x
  store i32 %b1, ptr %out, align 8
  br label %join

join:
  %r = phi i32 [ %a, %yes ], [ %b, %no ]
  store i32 %r, ptr %out, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
