; Dynamic shared memory that the user bounds is counted.
; RUN: %opt -warpwise-dynamic-shared=8192 -passes='steer-spills<victims=all+rare>' -verify-each -S %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK: @warpwise_stack_kernel = internal addrspace(3) global [4096 x i8]
@dynamic = external addrspace(3) global [0 x i32], align 4

define ptx_kernel void @kernel(ptr %in, ptr %out, i32 %k) #0 {
  %array = alloca [4 x i32], align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %element = getelementptr inbounds i32, ptr %array, i32 %tid
  store i32 1, ptr addrspace(3) @dynamic, align 4
  store i32 %tid, ptr %element, align 4
  %value = load i32, ptr %array, align 4
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %value, ptr %to, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="256" }
