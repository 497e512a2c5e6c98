; What was done, in numbers.
; RUN: %opt -passes='fuse-branches' -verify-each -pass-remarks=warpwise -pass-remarks-missed=warpwise -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %in, ptr %out, i32 %x, i32 %y, i32 %z) {
; CHECK: divergent branch fused: 1 of 1+1 instructions melded in 1 block, 1 select; sides cost 40+40 cycles; a warp that splits saves 56, branches included, and pays 2; one that does not pays 2, registers {{[0-9]+}} before, {{[0-9]+}} after
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %yes, label %no

yes:
  %a = sdiv i32 %x, %y
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
