; A switch of three alike cases: two are melded, then the third with both.
; RUN: %opt -S -passes='fuse-branches' -verify-each %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %in, ptr %out, i32 %x, i32 %y, i32 %z) {
; CHECK-LABEL: define ptx_kernel void @k(
; CHECK-COUNT-1: sdiv
; CHECK-NOT: sdiv
; CHECK: ret void
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %way = urem i32 %t, 3
  switch i32 %way, label %other [
    i32 0, label %zero
    i32 1, label %one
  ]

zero:
  %a = sdiv i32 %t, %x
  store i32 %a, ptr %in, align 4
  br label %join

one:
  %b = sdiv i32 %t, %y
  store i32 %b, ptr %in, align 4
  br label %join

other:
  %d = sdiv i32 %t, %z
  store i32 %d, ptr %in, align 4
  br label %join

join:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
