; What is recorded is what ran: the version that the host would choose, with the dynamic shared memory that it would ask for.
; RUN: %opt -passes='steer-spills<versions;victims=all+rare>' -S %s -o %t.ll
; RUN: rm -rf %t %t.itself
; RUN: %warpwise simt %t.ll --block 33 --dynamic-shared 20 -a i32[64]:iota -a i32[64]:zero --record %t
; RUN: %FileCheck %s --input-file=%t/launch.json
; RUN: %warpwise simt %t.ll --block 31 --dynamic-shared 20 -a i32[64]:iota -a i32[64]:zero --record %t.itself
; RUN: %FileCheck %s --input-file=%t.itself/launch.json --check-prefix=ITSELF
; 20 bytes of its own, rounded up to 16, and 24 words for each thread of two warps
; CHECK: "kernel": "kernel$v1"
; CHECK: "dynamic_shared": 6176,
; ITSELF: "kernel": "kernel"
; ITSELF: "dynamic_shared": 20,

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
  br label %end

end:
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %value, ptr %to, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" }
