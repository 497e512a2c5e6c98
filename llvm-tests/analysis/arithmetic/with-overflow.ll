; The result of checked arithmetic is plain modular arithmetic; whether it overflowed is another question.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %s = call {i32, i1} @llvm.sadd.with.overflow.i32(i32 %t, i32 5)
  ; CHECK: %aff.s = affine 1*tid.x + 5{{$}}
  %aff.s = extractvalue {i32, i1} %s, 0
  ; CHECK: %div.o = divergent{{$}}
  %div.o = extractvalue {i32, i1} %s, 1
  %m = call {i32, i1} @llvm.umul.with.overflow.i32(i32 %t, i32 12)
  ; CHECK: %aff.m = affine 12*tid.x{{$}}
  %aff.m = extractvalue {i32, i1} %m, 0
  %u = call {i32, i1} @llvm.usub.with.overflow.i32(i32 %n, i32 1)
  ; CHECK: %uni.u = uniform grid{{$}}
  %uni.u = extractvalue {i32, i1} %u, 0
  ; CHECK: %uni.o = uniform grid{{$}}
  %uni.o = extractvalue {i32, i1} %u, 1
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare {i32, i1} @llvm.sadd.with.overflow.i32(i32, i32)
declare {i32, i1} @llvm.umul.with.overflow.i32(i32, i32)
declare {i32, i1} @llvm.usub.with.overflow.i32(i32, i32)
