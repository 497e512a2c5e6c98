; Squares of the thread index are kept, because differences of squares are affine.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %sq = affine 1*tid.x*tid.x{{$}}
  %sq = mul i32 %t, %t
  %t1 = add i32 %t, 1
  ; CHECK: %sq1 = affine 2*tid.x + 1*tid.x*tid.x + 1{{$}}
  %sq1 = mul i32 %t1, %t1
  ; CHECK: %aff.d = affine 2*tid.x + 1{{$}}
  %aff.d = sub i32 %sq1, %sq
  ; CHECK: %div.cube = divergent{{$}}
  %div.cube = mul i32 %sq, %t
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
