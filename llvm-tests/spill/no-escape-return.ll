; An address that a function returns; device functions get no slots either, the address is what is named.
; RUN: %opt -passes=steer-spills -verify-each -pass-remarks-missed=warpwise -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK: its address is returned

define ptr @function(ptr %out, i32 %k) #0 {
  %array = alloca [8 x i32], align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %element = getelementptr inbounds i32, ptr %array, i32 %tid
  store i32 %tid, ptr %element, align 4
  ret ptr %element
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="256" }
