; A kernel that calls through a pointer has no version either: what it calls may call its functions again.
; RUN: %opt -passes='steer-spills<versions;victims=all+rare>' -verify-each -pass-remarks-missed=warpwise -S %s 2>&1 | %FileCheck %s
; CHECK: left as it is: it may come to a recursive call, or to one through a pointer
; CHECK-NOT: constant [
; CHECK: define ptx_kernel {{.*}}@kernel(
; CHECK-NOT: @"kernel$v1"(

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @kernel(ptr %in, ptr %out, ptr %function) #0 {
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
  %size = call i32 %function()
  store i32 %size, ptr %out, align 4
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %value, ptr %to, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" }
