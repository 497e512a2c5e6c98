; What does not align stays behind the condition; its value is poison for the other side.
; RUN: %opt -S -passes='fuse-branches<always>' -verify-each %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %in, ptr %out, i32 %x, i32 %y, i32 %z) {
; CHECK-LABEL: define ptx_kernel void @k(
; CHECK: %[[D:.*]] = sdiv i32 %x, %[[S:.*]]
; CHECK: br i1 %c, label %[[Y:.*]], label %[[N:.*]]
; CHECK: [[Y]]:
; CHECK-NEXT: store i32 %[[D]], ptr %in
; CHECK-NEXT: br label %[[N]]
; CHECK: [[N]]:
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %yes, label %no

yes:
  %a = sdiv i32 %x, %y
  store i32 %a, ptr %in, align 4
  br label %join

no:
  %b = sdiv i32 %x, %z
  br label %join

join:
  %r = phi i32 [ %a, %yes ], [ %b, %no ]
  store i32 %r, ptr %out, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
