; `maxntid` bounds the number of threads and says nothing of their shape.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k' (block unknown):
define ptx_kernel void @k() "nvvm.maxntid"="256" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %div.shr = divergent{{$}}
  %div.shr = lshr i32 %t, 5
  ; CHECK: %uni.high = constant 0{{$}}
  %uni.high = lshr i32 %t, 8
  ; CHECK: %n = uniform grid{{$}}
  %n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
