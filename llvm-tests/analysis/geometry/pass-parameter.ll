; The shape can be stated to the pass, and wins over nothing the kernel itself says.
;
; RUN: %opt -passes='print<affine-divergence<block=256>>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k' (block 256x1x1):
define ptx_kernel void @k() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %uni.shr = uniform warp{{$}}
  %uni.shr = lshr i32 %t, 5
  ; CHECK: %n = constant 256{{$}}
  %n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  ret void
}
; CHECK-LABEL: affine divergence for 'contradicts' (block 65x2x1):
define ptx_kernel void @contradicts() "nvvm.reqntid"="65,2" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %div.shr = divergent{{$}}
  %div.shr = lshr i32 %t, 5
  ret void
}
; CHECK-LABEL: affine divergence for 'too_small' (block unknown):
define ptx_kernel void @too_small() "nvvm.maxntid"="128" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %div.shr = divergent{{$}}
  %div.shr = lshr i32 %t, 5
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
