; A stride of unknown size is told by name.
;
; RUN: %opt -passes=warpwise-remarks -pass-remarks-analysis=warpwise -disable-output %s 2>&1 | %FileCheck %s

; CHECK: lanes 4*`width` bytes apart: up to 32 sectors per request instead of 4

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %p, i32 %width) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = mul nsw i32 %t, %width
  %i = sext i32 %m to i64
  %a = getelementptr inbounds float, ptr %p, i64 %i
  store float 1.0, ptr %a
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
