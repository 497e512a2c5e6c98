; The same by option, which also reaches the passes that clang runs.
;
; RUN: %opt -warpwise-block=64x2 -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k' (block 64x2x1):
define ptx_kernel void @k() {
  ; CHECK: %uni.y = uniform warp{{$}}
  %uni.y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  ; CHECK: %n = constant 2{{$}}
  %n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
