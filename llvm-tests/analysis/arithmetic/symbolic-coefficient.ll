; A uniform factor of unknown size is carried by its name, and two of them cancel.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n, i32 %m) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %a = affine %n*tid.x{{$}}
  %a = mul i32 %t, %n
  ; CHECK: %b = affine %n*tid.x{{$}}
  %b = mul i32 %n, %t
  ; CHECK: %zero = constant 0{{$}}
  %zero = sub i32 %a, %b
  %t1 = add i32 %t, 1
  ; CHECK: %c = affine %n*tid.x + uniform grid{{$}}
  %c = mul i32 %t1, %n
  ; CHECK: %uni.n = uniform grid{{$}}
  %uni.n = sub i32 %c, %a
  %d = mul i32 %t, %m
  ; CHECK: %aff.two = affine %n*tid.x + %m*tid.x{{$}}
  %aff.two = add i32 %a, %d
  ; CHECK: %aff.far = affine %n*%m*tid.x{{$}}
  %aff.far = mul i32 %a, %m
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
