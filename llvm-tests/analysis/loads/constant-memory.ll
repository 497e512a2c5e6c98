; Constant memory does not change while the kernel runs; a generic constant global neither.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

@c = addrspace(4) externally_initialized global i32 0
@g = constant [2 x i32] [i32 1, i32 2]
@m = global i32 0
; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
  ; CHECK: %uni.c = uniform grid{{$}}
  %uni.c = load i32, ptr addrspace(4) @c
  %a = getelementptr [2 x i32], ptr @g, i32 0, i32 %n
  ; CHECK: %uni.g = uniform grid{{$}}
  %uni.g = load i32, ptr %a
  ; CHECK: %uni.m = uniform warp{{$}}
  %uni.m = load i32, ptr @m
  ret void
}
