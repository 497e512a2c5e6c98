; Only double words: rows of eight bytes, one access each. 96 threads are three whole warps; 70 are rounded up to them.
; RUN: %opt -passes=steer-spills -verify-each -S %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK: @warpwise_stack_kernel = internal addrspace(3) global [3072 x i8] poison, align 16

define ptx_kernel void @kernel(ptr %in, ptr %out) #0 {
; CHECK-LABEL: define ptx_kernel void @kernel
; CHECK:       shl i32 {{.*}}, 3
; CHECK:       [[AT:%.*]] = getelementptr [768 x i8], ptr addrspace(3) %warpwise.slots, i32 %div.k
; CHECK:       store i64 1, ptr addrspace(3) [[AT]], align 8
  %array = alloca [4 x i64], align 8
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %from = getelementptr i32, ptr %in, i64 %wide
  %div.k = load i32, ptr %from, align 4
  %pair = getelementptr inbounds i64, ptr %array, i32 %div.k
  store i64 1, ptr %pair, align 8
  %value = load i64, ptr %array, align 8
  %to = getelementptr i64, ptr %out, i64 %wide
  store i64 %value, ptr %to, align 8
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="70" }
