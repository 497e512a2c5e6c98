; A kernel has at most three versions.
; RUN: %opt -passes='steer-spills<versions;victims=all+rare>' -pass-remarks-missed=warpwise -S %s 2>&1 | %FileCheck %s
; CHECK: stays in local memory{{.*}}: a version for launches that give it more shared memory is not possible: it has as many versions as a kernel may have
; CHECK-NOT: kernel$v4

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @"kernel$v1"(ptr %in, ptr %out) #1 {
  ret void
}

define ptx_kernel void @"kernel$v2"(ptr %in, ptr %out) #2 {
  ret void
}

define ptx_kernel void @"kernel$v3"(ptr %in, ptr %out) #3 {
  ret void
}

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

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" }
attributes #1 = { "target-cpu"="sm_90" "warpwise-version"="1,0,0,1,1,3,64,0,0" }
attributes #2 = { "target-cpu"="sm_90" "warpwise-version"="1,0,0,1,1,3,128,0,0" }
attributes #3 = { "target-cpu"="sm_90" "warpwise-version"="1,0,0,1,1,3,256,0,0" }
