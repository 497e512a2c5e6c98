; A stated shape holds in a device function only if no kernel of the module contradicts it.
;
; RUN: %opt -passes='print<affine-divergence<block=256>>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'own_shape'
define ptx_kernel void @own_shape() "nvvm.reqntid"="65,2" {
  call void @f()
  ret void
}
; CHECK-LABEL: affine divergence for 'f'
define void @f() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %div.shr = divergent{{$}}
  %div.shr = lshr i32 %t, 5
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
