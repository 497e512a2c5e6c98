; A kernel that is called has its caller's stack above it. Newer verifiers refuse such calls.
; REQUIRES: llvm-22
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'called'
; CHECK: %div.a = divergent{{$}}
define ptx_kernel void @called() {
  %div.a = alloca i32
  store volatile i32 1, ptr %div.a
  ret void
}
define ptx_kernel void @caller() {
  call ptx_kernel void @called()
  ret void
}
