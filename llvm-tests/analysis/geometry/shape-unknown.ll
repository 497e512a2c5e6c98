; Without the shape of the block nothing is known of which threads share a warp.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k' (block unknown):
define ptx_kernel void @k() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %y = affine 1*tid.y{{$}}
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  ; CHECK: %z = affine 1*tid.z{{$}}
  %z = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  ; CHECK: %div.shr = divergent{{$}}
  %div.shr = lshr i32 %t, 5
  ; CHECK: %div.udiv = divergent{{$}}
  %div.udiv = udiv i32 %t, 32
  ; CHECK: %div.mask = divergent{{$}}
  %div.mask = and i32 %t, -32
  ; CHECK: %div.lane = divergent{{$}}
  %div.lane = and i32 %t, 31
  ; CHECK: %div.low = divergent{{$}}
  %div.low = icmp ult i32 %t, 64
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.z()
