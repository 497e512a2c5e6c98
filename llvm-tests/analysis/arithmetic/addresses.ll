; Address arithmetic: strides from types, constant parts, pointers as integers.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(ptr %p, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  ; CHECK: %a = affine 20*tid.x + uniform grid{{$}}
  %a = getelementptr { i32, [4 x float] }, ptr %p, i64 %i, i32 1, i64 2
  ; CHECK: %b = affine 20*tid.x + uniform grid{{$}}
  %b = getelementptr i8, ptr %a, i64 -4
  ; CHECK: %x = affine 20*tid.x + uniform grid{{$}}
  %x = ptrtoint ptr %a to i64
  ; CHECK: %y = uniform grid{{$}}
  %y = ptrtoint ptr %p to i64
  ; CHECK: %aff.d = affine 20*tid.x + uniform grid{{$}}
  %aff.d = sub i64 %x, %y
  ; CHECK: %eq = uniform grid{{$}}
  %eq = icmp eq ptr %a, %b
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
