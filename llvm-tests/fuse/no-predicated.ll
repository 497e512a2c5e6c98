; Two short sides, which ptxas predicates: there is no branch to save.
; RUN: %opt -passes='fuse-branches' -verify-each -pass-remarks=warpwise -pass-remarks-missed=warpwise -disable-output %s 2>&1 | %FileCheck %s

; CHECK: divergent branch not fused: it does not pay: 1 of 1+1 instructions melded in 1 block, 1 select; sides cost 8+8 cycles; a warp that splits saves 4, branches included, and pays 4

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %in, ptr %out, i32 %x, i32 %y) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %in, i32 %t
  %q = getelementptr i32, ptr %out, i32 %t
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %yes, label %no

yes:
  store i32 %x, ptr %p, align 4
  br label %join

no:
  store i32 %x, ptr %q, align 4
  br label %join

join:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
