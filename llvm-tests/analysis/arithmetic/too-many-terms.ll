; A form keeps a handful of terms; beyond them nothing is claimed, and nothing wrong.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %a, i32 %b, i32 %c, i32 %d, i32 %e) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ta = mul i32 %t, %a
  %tb = mul i32 %t, %b
  %tc = mul i32 %t, %c
  %td = mul i32 %t, %d
  %te = mul i32 %t, %e
  %s2 = add i32 %ta, %tb
  %s3 = add i32 %s2, %tc
  ; CHECK: %s4 = affine %a*tid.x + %b*tid.x + %c*tid.x + %d*tid.x{{$}}
  %s4 = add i32 %s3, %td
  ; CHECK: %div.s5 = divergent{{$}}
  %div.s5 = add i32 %s4, %te
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
