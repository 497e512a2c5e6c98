; No kernel contradicts the stated shape: it holds in device functions too.
;
; RUN: %opt -passes='print<affine-divergence<block=256>>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k() {
  call void @f()
  ret void
}
; CHECK-LABEL: affine divergence for 'f'
define void @f() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %uni.shr = uniform warp{{$}}
  %uni.shr = lshr i32 %t, 5
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
