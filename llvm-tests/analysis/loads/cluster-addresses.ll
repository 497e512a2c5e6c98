; In a cluster the generic address of shared memory tells the blocks apart.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

@s = internal addrspace(3) global [32 x i32] poison
; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k() {
  ; CHECK: %near = uniform grid{{$}}
  %near = getelementptr i32, ptr addrspace(3) @s, i32 1
  ; CHECK: %generic = uniform block{{$}}
  %generic = addrspacecast ptr addrspace(3) %near to ptr
  ; CHECK: %far = uniform block{{$}}
  %far = call ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3) %near, i32 0)
  ret void
}

declare ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3), i32)
