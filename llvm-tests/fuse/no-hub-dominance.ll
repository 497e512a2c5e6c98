; A value from the way to one side alone, used in the side: the edges stay apart.
; RUN: %opt -S -passes='fuse-branches<always>' -verify-each %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %in, ptr %out, i32 %x, i32 %y) {
; CHECK-LABEL: define ptx_kernel void @k(
; CHECK-NOT: fuse.hub
; CHECK: ret void
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %second, label %no

second:
  %v = load i32, ptr %out, align 4
  %d = icmp slt i32 %v, %x
  br i1 %d, label %yes, label %no

yes:
  %a = sdiv i32 %v, %x
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
