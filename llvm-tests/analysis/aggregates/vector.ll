; A vector is as uniform as its parts.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n, <4 x i32> %v) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %uni.i = uniform grid{{$}}
  %uni.i = insertelement <4 x i32> %v, i32 %n, i32 0
  ; CHECK: %div.i = divergent{{$}}
  %div.i = insertelement <4 x i32> %uni.i, i32 %t, i32 1
  ; CHECK: %uni.e = uniform grid{{$}}
  %uni.e = extractelement <4 x i32> %v, i32 %n
  ; CHECK: %div.e = divergent{{$}}
  %div.e = extractelement <4 x i32> %v, i32 %t
  ; CHECK: %uni.s = uniform grid{{$}}
  %uni.s = shufflevector <4 x i32> %v, <4 x i32> %uni.i, <2 x i32> <i32 0, i32 5>
  ; CHECK: %uni.a = uniform grid{{$}}
  %uni.a = add <4 x i32> %v, %uni.i
  ; CHECK: %div.a = divergent{{$}}
  %div.a = add <4 x i32> %v, %div.i
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
