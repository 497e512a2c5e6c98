; Lanes that use different parts of a local array scatter what the hardware interleaves.
;
; RUN: %opt -passes=warpwise-remarks -pass-remarks-analysis=warpwise -disable-output %s 2>&1 | %FileCheck %s

; CHECK: local memory: lanes 4 bytes apart: 32 sectors per request instead of 4
; CHECK-NOT: remark

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %p) "nvvm.reqntid"="32" {
  %x = alloca [64 x i32]
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = getelementptr inbounds [64 x i32], ptr %x, i32 0, i32 %t
  store i32 1, ptr %a
  %b = getelementptr inbounds [64 x i32], ptr %x, i32 0, i32 5
  store i32 1, ptr %b
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
