; In a row of 256 threads every warp has its own `tid.x / 32`, in each way to write it.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k' (block 256x1x1):
define ptx_kernel void @k() "nvvm.reqntid"="256" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %y = constant 0{{$}}
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  ; CHECK: %uni.shr = uniform warp{{$}}
  %uni.shr = lshr i32 %t, 5
  ; CHECK: %uni.ashr = uniform warp{{$}}
  %uni.ashr = ashr i32 %t, 5
  ; CHECK: %uni.udiv = uniform warp{{$}}
  %uni.udiv = udiv i32 %t, 32
  ; CHECK: %uni.sdiv = uniform warp{{$}}
  %uni.sdiv = sdiv i32 %t, 32
  ; CHECK: %uni.mask = uniform warp{{$}}
  %uni.mask = and i32 %t, -32
  ; CHECK: %aff.lane = affine 1*laneid{{$}}
  %aff.lane = and i32 %t, 31
  ; CHECK: %aff.rem = affine 1*laneid{{$}}
  %aff.rem = urem i32 %t, 32
  ; CHECK: %div.half = divergent{{$}}
  %div.half = lshr i32 %t, 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
