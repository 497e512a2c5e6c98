; A fill and a copy from memory that stays are taken apart into words.
; RUN: %opt -passes='steer-spills<victims=all+rare>' -verify-each -S %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @kernel(ptr %in, ptr %out) #0 {
; CHECK-LABEL: define ptx_kernel void @kernel
; CHECK-COUNT-2: store i32 0, ptr addrspace(3)
; CHECK:       [[FROM:%.*]] = load i32, ptr %in, align 4
; CHECK:       store i32 [[FROM]], ptr addrspace(3)
; CHECK:       getelementptr i8, ptr %in, i32 4
; CHECK-NOT:   call void @llvm.mem
; CHECK:       ret void
  %array = alloca [2 x i32], align 4
  call void @llvm.memset.p0.i64(ptr align 4 %array, i8 0, i64 8, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %array, ptr align 4 %in, i64 8, i1 false)
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %bit = and i32 %tid, 1
  %element = getelementptr inbounds i32, ptr %array, i32 %bit
  %value = load i32, ptr %element, align 4
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %value, ptr %to, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="256" }
