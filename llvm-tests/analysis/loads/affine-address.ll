; The address is affine, what lies there is anything.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %aff.a = affine 4*tid.x + uniform grid{{$}}
  %aff.a = getelementptr i32, ptr %p, i32 %t
  ; CHECK: %div.v = divergent{{$}}
  %div.v = load i32, ptr %aff.a
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
