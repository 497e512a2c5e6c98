; A switch of three live cases that have nothing of two alike sides.
; RUN: %opt -passes='fuse-branches' -verify-each -pass-remarks=warpwise -pass-remarks-missed=warpwise -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %out, i32 %x, i32 %y) {
; CHECK: divergent branch not fused: it has more than two ways
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %way = and i32 %t, 3
  switch i32 %way, label %join [
    i32 0, label %one
    i32 1, label %two
  ]

one:
  %a = sdiv i32 %x, %y
  br label %join

two:
  fence acq_rel
  br label %join

join:
  %r = phi i32 [ %t, %entry ], [ %a, %one ], [ 2, %two ]
  store i32 %r, ptr %out, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
