; Lanes further apart than they are wide cost more sectors than they need; the assumption about the shape is told.
;
; RUN: %opt -passes=warpwise-remarks -pass-remarks-analysis=warpwise -disable-output %s 2>&1 | %FileCheck %s

; CHECK: lanes 12 bytes apart: 12 sectors per request instead of 4, if warps lie along x
; CHECK: lanes 256 bytes apart: 32 sectors per request instead of 8{{$}}

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %a = getelementptr inbounds [3 x float], ptr %p, i64 %i
  %v = load float, ptr %a
  ret void
}
define ptx_kernel void @known(ptr %p) "nvvm.reqntid"="256" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %a = getelementptr inbounds [32 x double], ptr %p, i64 %i
  store double 1.0, ptr %a
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
