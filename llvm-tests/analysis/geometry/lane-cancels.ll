; `tid.x - laneid` is the first thread of the warp where warps lie in rows, and unknown otherwise.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'row'
define ptx_kernel void @row() "nvvm.reqntid"="256" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %l = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  ; CHECK: %uni.sub = uniform warp{{$}}
  %uni.sub = sub i32 %t, %l
  ; CHECK: %aff.sum = affine 1*tid.x + 1*laneid{{$}}
  %aff.sum = add i32 %t, %l
  ret void
}
; CHECK-LABEL: affine divergence for 'unknown'
define ptx_kernel void @unknown() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %l = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  ; CHECK: %aff.sub = affine 1*tid.x + -1*laneid{{$}}
  %aff.sub = sub i32 %t, %l
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
