; What a device function makes of uniform arguments is known from its body.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'f'
define internal i32 @f(i32 %x, i32 %y) {
  %s = mul i32 %x, %y
  ret i32 %s
}
; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  ; CHECK: %uni.g = uniform grid{{$}}
  %uni.g = call i32 @f(i32 %n, i32 3)
  ; CHECK: %uni.b = uniform block{{$}}
  %uni.b = call i32 @f(i32 %n, i32 %b)
  ; CHECK: %div.t = divergent{{$}}
  %div.t = call i32 @f(i32 %n, i32 %t)
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
