; Instructions are reordered inside a side where dependences allow.
; RUN: %opt -S -passes='fuse-branches<always>' -verify-each %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %in, ptr %out, i32 %x, i32 %y, i32 %z) {
; CHECK-LABEL: define ptx_kernel void @k(
; CHECK-NOT: br i1
; CHECK-COUNT-2: {{mul|sdiv}} i32
; CHECK-NOT: {{mul|sdiv}} i32
; CHECK: store
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %yes, label %no

yes:
  %m = mul i32 %x, %y
  %d = sdiv i32 %x, 3
  %a = add i32 %m, %d
  br label %join

no:
  %d2 = sdiv i32 %y, 3
  %m2 = mul i32 %y, %z
  %b = add i32 %m2, %d2
  br label %join

join:
  %r = phi i32 [ %a, %yes ], [ %b, %no ]
  store i32 %r, ptr %out, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
