; A version in which a branch is melded gets slots too, and there is another with slots alone. In the table: (blockDim.x <= 16, at least 32
; threads, with slots), then (at least 32 threads, with slots).
; RUN: %opt -passes='fuse-branches<versions>,steer-spills<versions;victims=all+rare>' -verify-each -S %s -o %t.ll
; RUN: %FileCheck %s < %t.ll
; The same again changes nothing.
; RUN: %opt -passes='fuse-branches<versions>,steer-spills<versions;victims=all+rare>' -S %t.ll | %FileCheck %s
; RUN: %warpwise simt --compare %s %t.ll --block 16,16 --dynamic-shared 100 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75
; RUN: %warpwise simt %t.ll --block 16,16 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75 | %FileCheck %s --check-prefix=FIRST
; RUN: %warpwise simt --compare %s %t.ll --block 32,4 --dynamic-shared 100 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75
; RUN: %warpwise simt %t.ll --block 32,4 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75 | %FileCheck %s --check-prefix=SECOND
; RUN: %warpwise simt --compare %s %t.ll --block 31 --dynamic-shared 100 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75
; RUN: %warpwise simt %t.ll --block 31 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75 | %FileCheck %s --check-prefix=ITSELF
; RUN: %warpwise simt --compare %s %t.ll --block 64 --dynamic-shared 100 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75
; RUN: %warpwise simt %t.ll --block 64 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75 | %FileCheck %s --check-prefix=SECOND
; RUN: %warpwise simt --compare %s %t.ll --block 11,3 --dynamic-shared 100 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75
; RUN: %warpwise simt %t.ll --block 11,3 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75 | %FileCheck %s --check-prefix=FIRST
; RUN: %warpwise simt --compare %s %t.ll --block 17,2 --dynamic-shared 100 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75
; RUN: %warpwise simt %t.ll --block 17,2 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75 | %FileCheck %s --check-prefix=SECOND
; RUN: %warpwise simt --compare %s %t.ll --block 1024 --dynamic-shared 100 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75
; RUN: %warpwise simt %t.ll --block 1024 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75 | %FileCheck %s --check-prefix=SECOND
; FIRST: version kernel$v1 ran
; SECOND: version kernel$v2 ran
; ITSELF-NOT: version

target triple = "nvptx64-nvidia-cuda"

; CHECK: @"kernel$versions" = dso_local addrspace(1) constant [24 x i64] [i64 3544424463788888663, i64 2, i64 2, i64 3072, i64 0, i64 16, i64 1, i64 6, i64 0, i64 0, i64 16, i64 4, i64 32, i64 0, i64 0, i64 1, i64 3072, i64 0, i64 16, i64 1, i64 4, i64 32, i64 0, i64 0], align 8
; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: alloca
; CHECK: br i1
; CHECK-LABEL: define ptx_kernel void @"kernel$v1"(
; CHECK-NOT: alloca
; CHECK-NOT: br i1
; CHECK-LABEL: define ptx_kernel void @"kernel$v2"(
; CHECK-NOT: alloca
; CHECK: br i1
; CHECK-NOT: kernel$v3
define ptx_kernel void @kernel(ptr %a, ptr %b, float %f0, float %f1) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %width = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %above = mul i32 %row, %width
  %at = add i32 %above, %t
  %wide = zext i32 %at to i64
  %array = alloca [24 x i32], align 4
  %index = and i32 %t, 15
  %element = getelementptr inbounds i32, ptr %array, i32 %index
  store i32 %t, ptr %element, align 4
  %next = xor i32 %index, 1
  %beside = getelementptr inbounds i32, ptr %array, i32 %next
  store i32 %row, ptr %beside, align 4
  %value = load i32, ptr %element, align 4
  %odd = and i32 %row, 1
  %is = icmp eq i32 %odd, 0
  br i1 %is, label %yes, label %no

yes:
  %x.at = getelementptr float, ptr %a, i64 %wide
  %x.0 = load float, ptr %x.at, align 4
  %x.1 = fdiv float %x.0, %f0
  %x.2 = fdiv float %x.1, %f1
  %x.3 = fdiv float %x.2, %f0
  %x.4 = fdiv float %x.3, %f1
  %x.5 = fdiv float %x.4, %f0
  %x.6 = fdiv float %x.5, %f1
  %more = sitofp i32 %value to float
  %x.7 = fadd float %x.6, %more
  store float %x.7, ptr %x.at, align 4
  br label %done

no:
  %y.at = getelementptr float, ptr %b, i64 %wide
  %y.0 = load float, ptr %y.at, align 4
  %y.1 = fdiv float %y.0, %f0
  %y.2 = fdiv float %y.1, %f1
  %y.3 = fdiv float %y.2, %f0
  %y.4 = fdiv float %y.3, %f1
  %y.5 = fdiv float %y.4, %f0
  %y.6 = fdiv float %y.5, %f1
  store float %y.6, ptr %y.at, align 4
  br label %done

done:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()

attributes #0 = { "target-cpu"="sm_90" }
