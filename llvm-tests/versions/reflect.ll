; `__nvvm_reflect` is a question to the compiler, answered before code generation: it uses no shared memory.
; RUN: %opt -passes='steer-spills<versions;victims=all+rare>' -S %s | %FileCheck %s
; CHECK: define ptx_kernel void @"kernel$v1"(

target triple = "nvptx64-nvidia-cuda"

@ftz = private addrspace(1) constant [11 x i8] c"__CUDA_FTZ\00"

define ptx_kernel void @kernel(ptr %in, ptr %out) #0 {
  %array = alloca [24 x i32], align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %from = getelementptr i32, ptr %in, i32 %tid
  %div.k = load i32, ptr %from, align 4
  %index = and i32 %div.k, 15
  %element = getelementptr inbounds i32, ptr %array, i32 %index
  store i32 %div.k, ptr %element, align 4
  %answer = call i32 @__nvvm_reflect(ptr addrspacecast (ptr addrspace(1) @ftz to ptr))
  %at = and i32 %answer, 15
  %other = getelementptr inbounds i32, ptr %array, i32 %at
  %value = load i32, ptr %other, align 4
  %to = getelementptr i32, ptr %out, i32 %tid
  store i32 %value, ptr %to, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @__nvvm_reflect(ptr)

attributes #0 = { "target-cpu"="sm_90" }
