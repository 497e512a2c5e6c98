; Bytes are packed four to a word: the row from the word, the byte inside it.
; RUN: %opt -passes='steer-spills<victims=all+rare>' -verify-each -S %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK: @warpwise_stack_kernel = internal addrspace(3) global [2048 x i8] poison, align 16

define ptx_kernel void @kernel(ptr %in, ptr %out) #0 {
; CHECK-LABEL: define ptx_kernel void @kernel
; CHECK:       [[WORD:%.*]] = and i32 %div.k, -4
; CHECK:       [[ROWS:%.*]] = shl i32 [[WORD]], 8
; CHECK:       [[BYTE:%.*]] = and i32 %div.k, 3
; CHECK:       [[SUM:%.*]] = add i32 [[ROWS]], [[BYTE]]
; CHECK:       [[AT:%.*]] = getelementptr i8, ptr addrspace(3) %warpwise.slots, i32 [[SUM]]
; CHECK:       store i8 7, ptr addrspace(3) [[AT]], align 1
; CHECK:       [[LAST:%.*]] = getelementptr i8, ptr addrspace(3) %warpwise.slots, i32 1025
; CHECK:       load i8, ptr addrspace(3) [[LAST]], align 1
  %array = alloca [8 x i8], align 8
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %from = getelementptr i32, ptr %in, i64 %wide
  %div.k = load i32, ptr %from, align 4
  %element = getelementptr inbounds i8, ptr %array, i32 %div.k
  store i8 7, ptr %element, align 1
  %fifth = getelementptr inbounds i8, ptr %array, i64 5
  %value = load i8, ptr %fifth, align 1
  %to = getelementptr i8, ptr %out, i64 %wide
  store i8 %value, ptr %to, align 1
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="256" }
