; A stated shape: constants in the linear thread index, 128 threads.
; RUN: %opt -passes='steer-spills<block=16x8;victims=all+rare>' -verify-each -S %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK: @warpwise_stack_kernel = internal addrspace(3) global [2048 x i8]
; CHECK: [[Y:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
; CHECK: mul i32 [[Y]], 16
define ptx_kernel void @kernel(ptr %in, ptr %out, i32 %k) #0 {
  %array = alloca [4 x i32], align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %element = getelementptr inbounds i32, ptr %array, i32 %tid
  store i32 %tid, ptr %element, align 4
  %value = load i32, ptr %array, align 4
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %value, ptr %to, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" }
