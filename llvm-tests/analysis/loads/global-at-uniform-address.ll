; Mutable global memory at one address: one value for the warp, since other warps may read at another time.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(ptr %p, ptr addrspace(1) %q, i32 %n) {
  ; CHECK: %uni.p = uniform warp{{$}}
  %uni.p = load i32, ptr %p
  ; CHECK: %uni.q = uniform warp{{$}}
  %uni.q = load i32, ptr addrspace(1) %q
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  ; CHECK: %a = uniform block{{$}}
  %a = getelementptr i32, ptr %p, i32 %b
  ; CHECK: %uni.a = uniform warp{{$}}
  %uni.a = load i32, ptr %a
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
