; Two rows of 16 share a warp: `tid.y` differs in it. Whole planes of them still make whole warps.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k' (block 16x16x2):
define ptx_kernel void @k() "nvvm.reqntid"="16,16,2" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %aff.y = affine 1*tid.y{{$}}
  %aff.y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  ; CHECK: %uni.z = uniform warp{{$}}
  %uni.z = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  ; CHECK: %uni.shr = constant 0{{$}}
  %uni.shr = lshr i32 %t, 5
  ret void
}
; CHECK-LABEL: affine divergence for 'odd' (block 5x5x5):
define ptx_kernel void @odd() "nvvm.reqntid"="5,5,5" {
  ; CHECK: %aff.z = affine 1*tid.z{{$}}
  %aff.z = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.z()
