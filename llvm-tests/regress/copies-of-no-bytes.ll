; A copy of no bytes between two objects that move was erased twice, once with each of them.
; RUN: %opt -passes='steer-spills<victims=all+rare>' -verify-each -S %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define ptx_kernel void @arrays
; CHECK-NOT: alloca
define ptx_kernel void @arrays(ptr %in, ptr %out) #0 {
  %a = alloca [4 x i32], align 4
  %b = alloca [4 x i32], align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %from = getelementptr i32, ptr %in, i32 %tid
  %div.k = load i32, ptr %from, align 4
  %index = and i32 %div.k, 3
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %b, ptr align 4 %a, i64 0, i1 false)
  %x = getelementptr inbounds i32, ptr %a, i32 %index
  store i32 %div.k, ptr %x, align 4
  %y = getelementptr inbounds i32, ptr %b, i32 %index
  store i32 %tid, ptr %y, align 4
  %next = xor i32 %index, 1
  %x1 = getelementptr inbounds i32, ptr %a, i32 %next
  %v = load i32, ptr %x1, align 4
  %y1 = getelementptr inbounds i32, ptr %b, i32 %next
  %w = load i32, ptr %y1, align 4
  %sum = add i32 %v, %w
  %to = getelementptr i32, ptr %out, i32 %tid
  store i32 %sum, ptr %to, align 4
  ret void
}

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "nvvm.maxntid"="128" "target-cpu"="sm_90" }
