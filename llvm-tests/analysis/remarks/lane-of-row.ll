; Without the shape of the block, `threadIdx.x % 32` is taken for the lane, and remarks say so. With a block of 16x16 it is
; not, and nothing is assumed. That all lanes access one address is told only if it is certain.
;
; RUN: %opt -passes=warpwise-remarks -pass-remarks-analysis=warpwise -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -passes='warpwise-remarks<block=16x16>' -pass-remarks-analysis=warpwise -disable-output %s 2>&1 | %FileCheck %s --check-prefix=SHAPE

; CHECK-NOT: same address
; CHECK: 32-way bank conflict: lanes 128 bytes apart, if warps lie along x
; CHECK-NOT: remark

; SHAPE: 16-way bank conflict: lanes apart by more than one distance
; SHAPE-NEXT: every lane writes the same address
; SHAPE-NOT: remark

target datalayout = "e-p6:32:32-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = internal addrspace(3) global [1024 x float] poison

define ptx_kernel void @column(ptr addrspace(1) %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = and i32 %t, 31
  %column = lshr i32 %t, 5
  %row.words = shl nuw nsw i32 %row, 5
  %word = add nuw nsw i32 %row.words, %column
  %at = getelementptr float, ptr addrspace(3) @s, i32 %word
  store float 0.0, ptr addrspace(3) %at
  %of.warp = getelementptr float, ptr addrspace(1) %p, i32 %column
  store float 1.0, ptr addrspace(1) %of.warp
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
