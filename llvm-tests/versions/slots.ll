; A kernel without a launch bound stays as it is, and gets a version whose slots are behind its dynamic shared memory, in an area for
; each warp, with a table that says so: 3072 bytes for each warp, aligned to 16, and all resident blocks must stay.
; RUN: %opt -passes='steer-spills<versions;victims=all+rare>' -verify-each -pass-remarks=warpwise -S %s -o %t.ll 2>%t.remarks
; RUN: %FileCheck %s < %t.ll
; RUN: %FileCheck %s --check-prefix=REMARK < %t.remarks
; RUN: %opt -passes='steer-spills<victims=all+rare>' -S %s | %FileCheck %s --check-prefix=WITHOUT
; RUN: %llc -mcpu=sm_90 %t.ll -o - | %FileCheck %s --check-prefix=PTX
; RUN: %warpwise simt --compare %s %t.ll --block 1 --arg i32[1]:iota --arg i32[1]:zero
; RUN: %warpwise simt --compare %s %t.ll --block 31 --arg i32[31]:iota --arg i32[31]:zero
; RUN: %warpwise simt --compare %s %t.ll --block 33 --grid 2 --arg i32[33]:random:1 --arg i32[33]:zero
; RUN: %warpwise simt --compare %s %t.ll --block 32,8 --arg i32[256]:random:2 --arg i32[256]:zero --dynamic-shared 20
; RUN: %warpwise simt --compare %s %t.ll --block 5,3,7 --arg i32[256]:random:3 --arg i32[256]:zero
; RUN: %warpwise simt %t.ll --block 640 --arg i32[1024]:random:4 --arg i32[1024]:zero --race | %FileCheck %s --check-prefix=RAN
; RUN: %warpwise simt %t.ll --block 31 --arg i32[1024]:random:4 --arg i32[1024]:zero | %FileCheck %s --check-prefix=ITSELF
; RUN: %warpwise simt %t.ll --block 1024 --arg i32[1024]:random:4 --arg i32[1024]:zero | %FileCheck %s --check-prefix=RAN
; RUN: %warpwise simt %t.ll --block 64 --no-versions --arg i32[1024]:random:4 --arg i32[1024]:zero | %FileCheck %s --check-prefix=ITSELF

target triple = "nvptx64-nvidia-cuda"

; REMARK: stack object %array ([24 x i32], 96 bytes) (indexed by {{.*}}) moved from local to shared memory: one copy per thread, in kernel$v1, 3072 bytes for each warp
; REMARK: version kernel$v1 for blocks of at least 32 threads: {{[0-9]+}} more instructions, 96 bytes of dynamic shared memory a thread behind the program's own

; RAN: version kernel$v1 ran
; ITSELF-NOT: version

; WITHOUT-NOT: kernel$versions
; WITHOUT-NOT: $v1

; PTX: .visible .global .align 8 .b8 kernel$versions[32] =
; PTX: .visible .entry kernel(
; PTX: .visible .entry kernel$v1(
; PTX: %dynamic_smem_size

; CHECK: @warpwise_dynamic_shared = external addrspace(3) global [0 x i8], align 16
; CHECK: @"kernel$versions" = dso_local addrspace(1) constant [4 x i64] [i64 3616482057826816599, i64 3072, i64 16, i64 1], align 8
; CHECK: define ptx_kernel void @kernel(ptr %in, ptr %out)
; CHECK-NEXT: %array = alloca [24 x i32], align 4
; CHECK: store i32 %div.k, ptr %element, align 4
; CHECK: define ptx_kernel void @"kernel$v1"(ptr %in, ptr %out)
; CHECK-NOT: alloca
; CHECK: %warpwise.warps = lshr
; CHECK: [[ALL:%.*]] = mul i32 %warpwise.warps, 3072
; CHECK: [[SIZE:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.dynamic_smem_size()
; CHECK: sub i32 [[SIZE]], [[ALL]]
; CHECK: %warpwise.area = getelementptr i8, ptr addrspace(3) @warpwise_dynamic_shared
; CHECK: getelementptr [128 x i8], ptr addrspace(3) %warpwise.slots, i32 %index
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
