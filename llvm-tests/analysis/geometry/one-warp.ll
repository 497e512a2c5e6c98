; A block of one warp: what the warp agrees on, the block agrees on.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k() "nvvm.reqntid"="32" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %l = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  ; CHECK: %uni.sub = uniform block{{$}}
  %uni.sub = sub i32 %t, %l
  ; CHECK: %uni.shr = constant 0{{$}}
  %uni.shr = lshr i32 %t, 5
  ret void
}
; CHECK-LABEL: affine divergence for 'single'
define ptx_kernel void @single() "nvvm.reqntid"="1" {
  ; CHECK: %t = constant 0{{$}}
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
