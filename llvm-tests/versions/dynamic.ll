; A kernel with a launch bound and dynamic shared memory of a size that only the launch knows: its version has slots behind that memory.
; RUN: %opt -passes='steer-spills<victims=all+rare>' -pass-remarks-missed=warpwise -disable-output %s 2>&1 | %FileCheck %s --check-prefix=WITHOUT
; RUN: %opt -passes='steer-spills<versions;victims=all+rare>' -verify-each -S %s -o %t.ll
; RUN: %FileCheck %s < %t.ll
; RUN: %warpwise simt --compare %s %t.ll --block 64 --dynamic-shared 256 --arg i32[64]:random:1 --arg i32[64]:zero
; RUN: %warpwise simt --compare %s %t.ll --block 33 --dynamic-shared 132 --arg i32[64]:random:1 --arg i32[64]:zero
; RUN: %warpwise simt %t.ll --block 64 --dynamic-shared 256 --arg i32[64]:random:1 --arg i32[64]:zero | %FileCheck %s --check-prefix=RAN
; WITHOUT: stays in local memory (indexed by {{.*}}): the kernel has dynamic shared memory of unknown size
; RAN: version kernel$v1 ran
; With a bound that the user states, the kernel itself has slots, and no version is made.
; RUN: %opt -passes='steer-spills<versions;victims=all+rare;dynamic-shared=256>' -S %s | %FileCheck %s --check-prefix=STATED
; STATED-NOT: kernel$versions

target triple = "nvptx64-nvidia-cuda"

@own = external addrspace(3) global [0 x i32], align 4

; CHECK: @"kernel$versions" =
; CHECK: define ptx_kernel void @kernel(
; CHECK: alloca
; CHECK: define ptx_kernel void @"kernel$v1"(
; CHECK-NOT: alloca
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
  %mine = getelementptr i32, ptr addrspace(3) @own, i32 %tid
  store i32 %value, ptr addrspace(3) %mine, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %last = load i32, ptr addrspace(3) @own, align 4
  %sum = add i32 %last, %value
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %sum, ptr %to, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="64" }
