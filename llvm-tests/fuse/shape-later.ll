; Sides that are alike but for a store that one does before, in some lanes: their lanes meet behind it.
; RUN: %opt -S -passes='fuse-branches' -verify-each %s | %FileCheck %s
; RUN: %opt -S -passes='fuse-branches' %s -o %t.ll
; RUN: %warpwise simt --compare %s %t.ll --block 48 --arg 'i32[64]:iota' --arg 'i32[64]:zero' | %FileCheck %s --check-prefix=SAME

; SAME: equal under the lockstep scheduler

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %in, ptr %out) {
; CHECK-LABEL: define ptx_kernel void @k(
; CHECK: br i1 %c, label %fuse.hub, label %no
; CHECK: fuse.hub:
; CHECK-NEXT: %fuse.side = phi i1
; CHECK-COUNT-1: sdiv
; CHECK-NOT: sdiv
; CHECK: no:
; CHECK: br i1 %d, label %some, label %fuse.hub
; CHECK: some:
; CHECK: br label %fuse.hub
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
  store i32 7, ptr %p, align 4
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
