; An instantiation of a template is in several translation units under -fgpu-rdc: its version and its table are linked like the kernel, as one
; group, so that all three come from the same translation unit.
; RUN: %opt -passes='steer-spills<versions;victims=all+rare>' -verify-each -S %s | %FileCheck %s
; CHECK: $kernel = comdat any
; CHECK: @"kernel$versions" = weak_odr {{.*}}addrspace(1) constant
; CHECK: define weak_odr ptx_kernel void @kernel({{.*}} comdat
; CHECK: define weak_odr ptx_kernel void @"kernel$v1"({{.*}} comdat($kernel)

target triple = "nvptx64-nvidia-cuda"

$kernel = comdat any

define weak_odr ptx_kernel void @kernel(ptr %in, ptr %out) #0 comdat {
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

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" }
