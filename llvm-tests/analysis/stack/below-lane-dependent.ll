; A function called from a frame whose size depends on the lane: its objects stand at different places, and so does what it
; returns. Objects of the fixed part of the caller's frame do not move.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %warpwise simt %s -k k -a "i64[32]:zero" --check | %FileCheck %s --check-prefix=HOLDS

; HOLDS: {{[0-9]+}} claims compared, 0 violated
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'f'
define internal i64 @f() noinline {
  ; CHECK: %div.a = divergent{{$}}
  %div.a = alloca [8 x i32]
  store i32 1, ptr %div.a
  ; CHECK: %div.i = divergent{{$}}
  %div.i = ptrtoint ptr %div.a to i64
  ret i64 %div.i
}

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t1 = add i32 %t, 1
  ; CHECK: %div.b = divergent{{$}}
  %div.b = alloca i32, i32 %t1
  store i32 1, ptr %div.b
  ; CHECK: %uni.c = uniform grid{{$}}
  %uni.c = alloca i32
  %uni.ci = ptrtoint ptr %uni.c to i64
  ; CHECK: %div.x = divergent{{$}}
  %div.x = call i64 @f()
  %s = add i64 %div.x, %uni.ci
  %q = getelementptr i64, ptr %p, i32 %t
  store i64 %s, ptr %q
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
