; The simple analysis of the thesis: a value is uniform or divergent, and nothing cancels.
;
; RUN: %opt -passes='print<affine-divergence<simple>>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n, i32 %m) {
  ; CHECK: %t = divergent{{$}}
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %div.a = divergent{{$}}
  %div.a = add nsw i32 %t, %n
  ; CHECK: %div.zero = divergent{{$}}
  %div.zero = sub i32 %div.a, %t
  ; CHECK: %uni.s = uniform grid{{$}}
  %uni.s = add i32 %n, %m
  ; CHECK: %five = constant 5{{$}}
  %five = add i32 2, 3
  ; CHECK: %b = uniform block{{$}}
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
