; Lanes of one side would wait for a barrier of the other.
; RUN: %opt -S -passes="fuse-branches" -verify-each %s | %FileCheck %s


target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %in, ptr %out) {
; CHECK: br i1 %c, label %yes, label %no
; CHECK-NOT: fuse.hub
; CHECK: ret void
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %in, i32 %t
  %v = load i32, ptr %p, align 4
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %yes, label %no

yes:
  %a = add i32 %v, 3
  %a1 = sdiv i32 %t, %a
  br label %join

no:
  %two = and i32 %t, 2
  %d = icmp eq i32 %two, 0
  br i1 %d, label %some, label %after

some:
  call void @llvm.nvvm.bar.warp.sync(i32 10)
  br label %after

after:
  %b = add i32 %v, 9
  %b1 = sdiv i32 %t, %b
  br label %join

join:
  %r = phi i32 [ %a1, %yes ], [ %b1, %after ]
  %o = getelementptr i32, ptr %out, i32 %t
  store i32 %r, ptr %o, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.bar.warp.sync(i32)
