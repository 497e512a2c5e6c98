; A copy of unknown length.
; RUN: %opt -passes=steer-spills -verify-each -pass-remarks-missed=warpwise -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK: stays in local memory: it is copied or filled with a length that is not constant

define ptx_kernel void @kernel(ptr %in, ptr %out, i32 %k) #0 {
  %array = alloca [4 x i32], align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %element = getelementptr inbounds i32, ptr %array, i32 %tid
  %n = zext i32 %k to i64
  call void @llvm.memset.p0.i64(ptr %array, i8 0, i64 %n, i1 false)
  store i32 %tid, ptr %element, align 4
  %value = load i32, ptr %array, align 4
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %value, ptr %to, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="256" }
