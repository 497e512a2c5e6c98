; A uniform branch is never touched.
; RUN: %opt -S -passes='fuse-branches<always>' %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %out, i32 %x, i32 %y, i32 %n) {
; CHECK-COUNT-2: sdiv
entry:
  %c = icmp eq i32 %n, 0
  br i1 %c, label %yes, label %no

yes:
  %a = sdiv i32 %x, %y
  br label %join

no:
  %b = sdiv i32 %y, %x
  br label %join

join:
  %r = phi i32 [ %a, %yes ], [ %b, %no ]
  store i32 %r, ptr %out, align 4
  ret void
}
