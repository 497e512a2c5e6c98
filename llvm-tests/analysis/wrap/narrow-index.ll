; Eight bits hold a thread index below 256 and wrap above it.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'unbounded'
define ptx_kernel void @unbounded() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %b = affine 1*tid.x{{$}}
  %b = trunc i32 %t to i8
  ; CHECK: %div.z = divergent{{$}}
  %div.z = zext i8 %b to i32
  ret void
}
; CHECK-LABEL: affine divergence for 'bounded'
define ptx_kernel void @bounded() "nvvm.maxntid"="256" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = trunc i32 %t to i8
  ; CHECK: %aff.z = affine 1*tid.x{{$}}
  %aff.z = zext i8 %b to i32
  ; CHECK: %div.s = divergent{{$}}
  %div.s = sext i8 %b to i32
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
