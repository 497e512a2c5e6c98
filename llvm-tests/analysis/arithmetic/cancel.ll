; What all lanes add, one may take away again.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %zero = constant 0{{$}}
  %zero = sub i32 %t, %t
  %a = add i32 %t, %n
  ; CHECK: %uni.n = uniform grid{{$}}
  %uni.n = sub i32 %a, %t
  %b = mul i32 %t, 3
  %c = shl i32 %t, 1
  ; CHECK: %aff.t = affine 1*tid.x{{$}}
  %aff.t = sub i32 %b, %c
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
