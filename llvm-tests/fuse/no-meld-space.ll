; Accesses known to different address spaces are not melded: a generic access would be dearer.
; RUN: %opt -S -passes='fuse-branches<always>' -verify-each %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr addrspace(3) %s, ptr addrspace(1) %g, ptr %out, i32 %x) {
; CHECK-LABEL: define ptx_kernel void @k(
; CHECK-DAG: load i32, ptr addrspace(3) %s
; CHECK-DAG: load i32, ptr addrspace(1) %g
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %yes, label %no

yes:
  %v = load i32, ptr addrspace(3) %s, align 4
  %a = mul i32 %v, %x
  br label %join

no:
  %u = load i32, ptr addrspace(1) %g, align 4
  %b = mul i32 %u, %x
  br label %join

join:
  %r = phi i32 [ %a, %yes ], [ %b, %no ]
  store i32 %r, ptr %out, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
