; 2^30 times an index up to 1023 wraps: modulo 2^32 the form is right, wider it is not.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %a = affine 1073741824*tid.x{{$}}
  %a = mul i32 %t, 1073741824
  ; CHECK: %div.z = divergent{{$}}
  %div.z = zext i32 %a to i64
  ; CHECK: %b = affine 1048576*tid.x{{$}}
  %b = mul i32 %t, 1048576
  ; CHECK: %aff.z = affine 1048576*tid.x{{$}}
  %aff.z = zext i32 %b to i64
  ; CHECK: %gone = constant 0{{$}}
  %gone = shl i32 %a, 2
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
