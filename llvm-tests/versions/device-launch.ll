; Device code that launches a kernel, or takes its address, goes on with the kernel itself.
; RUN: %opt -passes='steer-spills<versions;victims=all+rare>' -verify-each -S %s | %FileCheck %s
; CHECK: @kernels = addrspace(1) global [1 x ptr] [ptr @kernel]
; CHECK: @"kernel$versions" =
; CHECK: define ptx_kernel void @kernel(
; CHECK: alloca
; CHECK-LABEL: define ptx_kernel void @parent(
; CHECK: call ptr @cudaGetParameterBufferV2(ptr @kernel,
; CHECK: call i32 @cudaLaunchDeviceV2(ptr %buffer, ptr null)
; CHECK: define ptx_kernel void @"kernel$v1"(
; CHECK-NOT: alloca

target triple = "nvptx64-nvidia-cuda"

@kernels = addrspace(1) global [1 x ptr] [ptr @kernel]

define ptx_kernel void @kernel(ptr %in, ptr %out) #0 {
  %array = alloca [24 x i32], align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %from = getelementptr i32, ptr %in, i64 %wide
  %div.k = load i32, ptr %from, align 4
  %index = and i32 %div.k, 15
  %element = getelementptr inbounds i32, ptr %array, i32 %index
  store i32 %div.k, ptr %element, align 4
  %next = xor i32 %index, 1
  %beside = getelementptr inbounds i32, ptr %array, i32 %next
  store i32 %tid, ptr %beside, align 4
  %value = load i32, ptr %element, align 4
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %value, ptr %to, align 4
  ret void
}

define ptx_kernel void @parent(ptr %in) #0 {
  %buffer = call ptr @cudaGetParameterBufferV2(ptr @kernel, i64 1, i64 64, i32 0)
  %status = call i32 @cudaLaunchDeviceV2(ptr %buffer, ptr null)
  ret void
}

declare ptr @cudaGetParameterBufferV2(ptr, i64, i64, i32)
declare i32 @cudaLaunchDeviceV2(ptr, ptr)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" }
