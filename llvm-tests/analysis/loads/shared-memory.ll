; Shared memory at one address: the warp agrees.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

@s = internal addrspace(3) global [32 x i32] poison
; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k() {
  ; CHECK: %uni.s = uniform warp{{$}}
  %uni.s = load i32, ptr addrspace(3) @s
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %a = affine 4*tid.x + uniform grid{{$}}
  %a = getelementptr i32, ptr addrspace(3) @s, i32 %t
  ; CHECK: %div.s = divergent{{$}}
  %div.s = load i32, ptr addrspace(3) %a
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
