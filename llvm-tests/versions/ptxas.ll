; With a ptxas at hand, a version is only made if it uses less local memory than its kernel, and a remark has the figures.
; RUN: %opt -passes='steer-spills<versions;victims=all+rare>' -warpwise-ptxas=%cuda/bin/ptxas -pass-remarks-analysis=warpwise -pass-remarks-missed=warpwise -S %s 2>%t.remarks | %FileCheck %s
; RUN: %FileCheck %s --check-prefix=FIGURES < %t.remarks
; FIGURES: version kernel$v1: ptxas finds 0 bytes in local memory instead of {{[1-9][0-9]*}}, and {{[0-9]+}} registers instead of {{[0-9]+}}
; CHECK: @"kernel$versions" =
; One that gains nothing is not made: this ptxas finds the same of every kernel.

target triple = "nvptx64-nvidia-cuda"

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
