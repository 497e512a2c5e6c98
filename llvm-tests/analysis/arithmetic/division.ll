; Division by what does not divide the coefficient loses the form.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x4 = shl i32 %t, 2
  ; CHECK: %aff.q = affine 1*tid.x + uniform grid{{$}}
  %aff.q = lshr i32 %x4, 2
  ; CHECK: %div.q = divergent{{$}}
  %div.q = udiv i32 %x4, 3
  ; CHECK: %div.by = divergent{{$}}
  %div.by = udiv i32 %t, %n
  ; CHECK: %uni.q = uniform grid{{$}}
  %uni.q = udiv i32 %n, 3
  ; CHECK: %zero = constant 0{{$}}
  %zero = udiv i32 %t, 1024
  ; CHECK: %same = affine 1*tid.x{{$}}
  %same = urem i32 %t, 1024
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
