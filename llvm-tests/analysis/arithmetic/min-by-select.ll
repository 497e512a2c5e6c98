; A compare and a select make the same minimum.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n, i32 %m) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = add nsw i32 %t, %n
  %b = add nsw i32 %t, %m
  ; CHECK: %c = uniform grid{{$}}
  %c = icmp slt i32 %a, %b
  ; CHECK: %aff.min = affine 1*tid.x + uniform grid{{$}}
  %aff.min = select i1 %c, i32 %a, i32 %b
  ; CHECK: %d = divergent{{$}}
  %d = icmp ult i32 %a, %b
  ; CHECK: %div.min = divergent{{$}}
  %div.min = select i1 %d, i32 %a, i32 %b
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
