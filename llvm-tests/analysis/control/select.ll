; A select is a join: its condition is the gate.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n, i32 %m) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %d = icmp ult i32 %t, %n
  %u = icmp ult i32 %m, %n
  ; CHECK: %div.s = divergent{{$}}
  %div.s = select i1 %d, i32 %n, i32 %m
  ; CHECK: %uni.s = uniform grid{{$}}
  %uni.s = select i1 %u, i32 %n, i32 %m
  ; CHECK: %same = constant 4{{$}}
  %same = select i1 %d, i32 4, i32 4
  %a = add i32 %t, 1
  ; CHECK: %aff.s = affine 1*tid.x + uniform grid{{$}}
  %aff.s = select i1 %u, i32 %a, i32 %t
  ; CHECK: %div.a = divergent{{$}}
  %div.a = select i1 %d, i32 %a, i32 %t
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
