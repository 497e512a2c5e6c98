; A kernel that is also called as a function: its slots would be taken twice. Newer verifiers refuse such calls.
; REQUIRES: llvm-22
; RUN: %opt -passes='steer-spills<victims=all+rare>' -verify-each -pass-remarks-missed=warpwise -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK: stays in local memory{{.*}}: the kernel is also called as a function

define ptx_kernel void @kernel(ptr %out, i32 %k) #0 {
  %array = alloca [8 x i32], align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %element = getelementptr inbounds i32, ptr %array, i32 %tid
  store i32 %tid, ptr %element, align 4
  %other = getelementptr inbounds i32, ptr %array, i32 %k
  %value = load i32, ptr %other, align 4
  store i32 %value, ptr %out, align 4
  ret void
}

define ptx_kernel void @caller(ptr %out) #0 {
  call ptx_kernel void @kernel(ptr %out, i32 1)
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="256" }
