; A function of two values is uniform in the narrower of their scopes.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n, ptr %p) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  ; CHECK: %l = uniform warp{{$}}
  %l = load i32, ptr %p
  ; CHECK: %grid = uniform grid{{$}}
  %grid = xor i32 %n, 5
  ; CHECK: %block = uniform block{{$}}
  %block = mul i32 %b, %n
  ; CHECK: %warp = uniform warp{{$}}
  %warp = add i32 %block, %l
  %aff.block = add i32 %block, 0
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
