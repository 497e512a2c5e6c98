; Each special register has its scope; those that change while the kernel runs have none.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k() {
  ; CHECK: %b = uniform block{{$}}
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  ; CHECK: %by = uniform block{{$}}
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  ; CHECK: %nb = uniform grid{{$}}
  %nb = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  ; CHECK: %n = uniform grid{{$}}
  %n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  ; CHECK: %w = constant 32{{$}}
  %w = call i32 @llvm.nvvm.read.ptx.sreg.warpsize()
  ; CHECK: %l = affine 1*laneid{{$}}
  %l = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  ; CHECK: %sm = divergent{{$}}
  %sm = call i32 @llvm.nvvm.read.ptx.sreg.smid()
  ; CHECK: %wid = divergent{{$}}
  %wid = call i32 @llvm.nvvm.read.ptx.sreg.warpid()
  ; CHECK: %lt = divergent{{$}}
  %lt = call i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt()
  ; CHECK: %clock = divergent{{$}}
  %clock = call i64 @llvm.nvvm.read.ptx.sreg.clock64()
  ret void
}

declare i64 @llvm.nvvm.read.ptx.sreg.clock64()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.smid()
declare i32 @llvm.nvvm.read.ptx.sreg.warpid()
declare i32 @llvm.nvvm.read.ptx.sreg.warpsize()
