; Rows of whole warps: `tid.y` and `tid.z` belong to the warp.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k' (block 64x4x2):
define ptx_kernel void @k() "nvvm.reqntid"="64,4,2" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %uni.y = uniform warp{{$}}
  %uni.y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  ; CHECK: %uni.z = uniform warp{{$}}
  %uni.z = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  ; CHECK: %uni.shr = uniform warp{{$}}
  %uni.shr = lshr i32 %t, 5
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.z()
