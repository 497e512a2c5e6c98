; The address of a stack object is never selected: the object would have to stay in memory.
; RUN: %opt -S -passes='fuse-branches<always>' -verify-each %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %in, ptr %out, i32 %x, i32 %y, i32 %z) {
; CHECK-LABEL: define ptx_kernel void @k(
; CHECK-NOT: select i1 %c, ptr
; CHECK-DAG: load i32, ptr %s,
; CHECK-DAG: load i32, ptr %s2,
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 0
  %s = alloca i32, align 4
  %s2 = alloca i32, align 4
  store i32 %t, ptr %s, align 4
  store i32 %t, ptr %s2, align 4
  br i1 %c, label %yes, label %no

yes:
  %v = load i32, ptr %s, align 4
  %a = mul i32 %v, %x
  br label %join

no:
  %u = load i32, ptr %s2, align 4
  %b = mul i32 %u, %x
  br label %join

join:
  %r = phi i32 [ %a, %yes ], [ %b, %no ]
  store i32 %r, ptr %out, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
