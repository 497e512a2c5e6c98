; The member mask of a reduction is its second operand: groups with masks of their own get sums of their own.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %uni.sum = uniform warp{{$}}
  %uni.sum = call i32 @llvm.nvvm.redux.sync.add(i32 %t, i32 -1)
  ; CHECK: %uni.min = uniform warp{{$}}
  %uni.min = call i32 @llvm.nvvm.redux.sync.umin(i32 %t, i32 %n)
  ; CHECK: %div.sum = divergent{{$}}
  %div.sum = call i32 @llvm.nvvm.redux.sync.add(i32 1, i32 %t)
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.redux.sync.add(i32, i32)
declare i32 @llvm.nvvm.redux.sync.umin(i32, i32)
