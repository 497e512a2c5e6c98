; Nobody writes behind a `noalias readonly` kernel argument: the value has the scope of its address. Either word alone is not enough.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(ptr noalias readonly %p, ptr readonly %q, ptr noalias %r) {
  ; CHECK: %uni.p = uniform grid{{$}}
  %uni.p = load i32, ptr %p
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %a = getelementptr i32, ptr %p, i32 %b
  ; CHECK: %uni.a = uniform block{{$}}
  %uni.a = load i32, ptr %a
  ; CHECK: %uni.q = uniform warp{{$}}
  %uni.q = load i32, ptr %q
  ; CHECK: %uni.r = uniform warp{{$}}
  %uni.r = load i32, ptr %r
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
