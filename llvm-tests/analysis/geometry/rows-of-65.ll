; With 65x2x1 threads a warp spans two rows: nothing that holds for a row of warps may be claimed.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k' (block 65x2x1):
define ptx_kernel void @k() "nvvm.reqntid"="65,2,1" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %aff.y = affine 1*tid.y{{$}}
  %aff.y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  ; CHECK: %z = constant 0{{$}}
  %z = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  ; CHECK: %l = affine 1*laneid{{$}}
  %l = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  ; CHECK: %div.shr = divergent{{$}}
  %div.shr = lshr i32 %t, 5
  ; CHECK: %div.mask = divergent{{$}}
  %div.mask = and i32 %t, -32
  ; CHECK: %div.rem = divergent{{$}}
  %div.rem = and i32 %t, 31
  ; CHECK: %aff.sub = affine 1*tid.x + -1*laneid{{$}}
  %aff.sub = sub i32 %t, %l
  ; CHECK: %div.low = divergent{{$}}
  %div.low = icmp ult i32 %t, 32
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.z()
