; Addresses that are ordered: in shared memory the order of bytes is another.
; RUN: %opt -passes=steer-spills -verify-each -pass-remarks-missed=warpwise -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK: stays in local memory{{.*}}: its address is compared with another address

define ptx_kernel void @kernel(ptr %out, i32 %k) #0 {
  %array = alloca [8 x i32], align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %element = getelementptr inbounds i32, ptr %array, i32 %tid
  %other = getelementptr inbounds i32, ptr %array, i32 %k
  store i32 %tid, ptr %element, align 4
  %value = load i32, ptr %other, align 4
  %less = icmp ult ptr %element, %other
  %chosen = select i1 %less, i32 %value, i32 0
  store i32 %chosen, ptr %out, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="256" }
