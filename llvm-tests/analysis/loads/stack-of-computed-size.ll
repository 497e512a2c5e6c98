; An object of computed size moves those after it; only objects of fixed size stand at known places.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %fixed = uniform grid{{$}}
  %fixed = alloca i32
  ; CHECK: %div.a = divergent{{$}}
  %div.a = alloca i8, i32 %t
  ; CHECK: %div.b = divergent{{$}}
  %div.b = alloca i8, i32 %n
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
