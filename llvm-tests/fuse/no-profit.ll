; Selects cost what melding saves. The division, which is the same on both sides and so saves nothing, keeps ptxas from
; predicating the sides.
; RUN: %opt -passes='fuse-branches' -verify-each -pass-remarks=warpwise -pass-remarks-missed=warpwise -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %in, ptr %out, <8 x i32> %v, <8 x i32> %w, i32 %n) {
; CHECK: divergent branch not fused: it does not pay: 2 of 2+2 instructions melded in 1 block, 3 selects; sides cost 48+48 cycles; a warp that splits saves 24, branches included, and pays 22
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %yes, label %no

yes:
  %q = udiv i32 %t, %n
  store <8 x i32> %v, ptr %in, align 32
  br label %join

no:
  %s = udiv i32 %t, %n
  store <8 x i32> %w, ptr %out, align 32
  br label %join

join:
  %r = phi i32 [ 1, %yes ], [ 2, %no ]
  store i32 %r, ptr %out, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
