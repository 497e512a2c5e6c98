; Each lane may freeze an undefined value to a number of its own; a value that is surely defined stays what it is.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n, i32 noundef %m) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %div.u = divergent{{$}}
  %div.u = freeze i32 undef
  ; CHECK: %div.n = divergent{{$}}
  %div.n = freeze i32 %n
  ; CHECK: %uni.m = uniform grid{{$}}
  %uni.m = freeze i32 %m
  ; CHECK: %aff.t = affine 1*tid.x{{$}}
  %aff.t = freeze i32 %t
  %flagged = add nsw i32 %m, 1
  ; CHECK: %div.f = divergent{{$}}
  %div.f = freeze i32 %flagged
  %plain = add i32 %m, 1
  ; CHECK: %uni.p = uniform grid{{$}}
  %uni.p = freeze i32 %plain
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
