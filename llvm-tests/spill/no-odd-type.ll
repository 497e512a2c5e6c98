; A vector of predicates: its bits are not its bytes.
; RUN: %opt -passes=steer-spills -verify-each -pass-remarks-missed=warpwise -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK: stays in local memory{{.*}}: it is accessed with a type that has no plain bytes

define ptx_kernel void @kernel(ptr %out, i32 %k, <12 x i1> %bits) #0 {
  %array = alloca [8 x i32], align 1
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %element = getelementptr inbounds i32, ptr %array, i32 %tid
  store <12 x i1> %bits, ptr %element, align 1
  %other = getelementptr inbounds i32, ptr %array, i32 %k
  %value = load i32, ptr %other, align 1
  store i32 %value, ptr %out, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="256" }
