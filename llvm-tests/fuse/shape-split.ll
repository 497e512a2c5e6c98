; Sides that begin alike and end apart: melded as far as they go.
; RUN: %opt -S -passes='fuse-branches<always>' -verify-each %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %in, ptr %out, i32 %x, i32 %y) {
; CHECK-LABEL: define ptx_kernel void @k(
; CHECK: sdiv
; CHECK-NOT: sdiv
; CHECK: br i1 %c
; CHECK: call void @llvm.nvvm.barrier
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %yes, label %no

yes:
  %a = sdiv i32 %t, %x
  br label %more

more:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store i32 %a, ptr %in, align 4
  br label %join

no:
  %b = sdiv i32 %t, %y
  br label %less

less:
  store i32 %b, ptr %out, align 4
  br label %join

join:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
