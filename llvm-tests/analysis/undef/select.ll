; The arm of a select may stand for an undefined one only where lanes choose alike.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %d = icmp ult i32 %t, %n
  %u = icmp ult i32 %n, 7
  ; CHECK: %div.s = divergent{{$}}
  %div.s = select i1 %d, i32 %n, i32 undef
  ; CHECK: %uni.s = uniform grid{{$}}
  %uni.s = select i1 %u, i32 %n, i32 undef
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
