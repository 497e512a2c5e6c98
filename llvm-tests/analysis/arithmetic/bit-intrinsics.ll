; Funnel shifts, byte swaps and counts are functions of their operands and nothing more.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %uni.f = uniform grid{{$}}
  %uni.f = call i32 @llvm.fshl.i32(i32 %n, i32 %n, i32 3)
  ; CHECK: %div.f = divergent{{$}}
  %div.f = call i32 @llvm.fshl.i32(i32 %t, i32 %n, i32 3)
  ; CHECK: %uni.b = uniform grid{{$}}
  %uni.b = call i32 @llvm.bswap.i32(i32 %n)
  ; CHECK: %div.b = divergent{{$}}
  %div.b = call i32 @llvm.bswap.i32(i32 %t)
  ; CHECK: %uni.c = uniform grid{{$}}
  %uni.c = call i32 @llvm.ctpop.i32(i32 %n)
  ; CHECK: %aff.e = affine 1*tid.x{{$}}
  %aff.e = call i32 @llvm.expect.i32(i32 %t, i32 0)
  ret void
}

declare i32 @llvm.bswap.i32(i32)
declare i32 @llvm.ctpop.i32(i32)
declare i32 @llvm.expect.i32(i32, i32)
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
