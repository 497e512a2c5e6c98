; Sides that end in branches the other way round: the second condition is negated.
; RUN: %opt -S -passes='fuse-branches<always>' -verify-each %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %in, ptr %out, i32 %x, i32 %y) {
; CHECK-LABEL: define ptx_kernel void @k(
; CHECK: %[[NOT:.*]] = xor i1 %q, true
; CHECK: select i1 %c, i1 %p, i1 %[[NOT]]
; CHECK-COUNT-1: store i32 {{.*}}, ptr %in
; CHECK-NOT: store i32 {{.*}}, ptr %in
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %yes, label %no

yes:
  %a = load i32, ptr %in, align 4
  %p = icmp eq i32 %a, %x
  br i1 %p, label %then, label %join

then:
  %a1 = mul i32 %a, %y
  store i32 %a1, ptr %in, align 4
  br label %join

no:
  %b = load i32, ptr %out, align 4
  %q = icmp slt i32 %b, %x
  br i1 %q, label %join, label %then2

then2:
  %b1 = mul i32 %b, %x
  store i32 %b1, ptr %in, align 4
  br label %join

join:
  store i32 %t, ptr %out, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
