; An array that each thread indexes by its own data: one copy per thread, interleaved by words. The block shape is
; unknown, so the linear thread index has three dimensions.
; RUN: %opt -passes=steer-spills -verify-each -S %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK: @warpwise_stack_kernel = internal addrspace(3) global [16384 x i8] poison, align 16

define ptx_kernel void @kernel(ptr %in, ptr %out) #0 {
; CHECK-LABEL: define ptx_kernel void @kernel
; CHECK-NOT:   alloca
; CHECK:       [[TZ:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
; CHECK:       [[NY:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
; CHECK:       [[NX:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
; CHECK:       [[SCALED:%.*]] = shl i32 {{.*}}, 2
; CHECK:       [[MINE:%.*]] = getelementptr inbounds i8, ptr addrspace(3) @warpwise_stack_kernel, i32 [[SCALED]]
; CHECK:       [[ROW:%.*]] = getelementptr i8, ptr addrspace(3) [[MINE]], i32 3072
; CHECK:       store float %div.f, ptr addrspace(3) [[ROW]], align 4
; CHECK:       [[AT:%.*]] = getelementptr [1024 x i8], ptr addrspace(3) [[MINE]], i64 %index
; CHECK:       load float, ptr addrspace(3) [[AT]], align 4
; CHECK-NOT:   call void
; CHECK:       ret void
  %array = alloca [16 x float], align 4
  call void @llvm.lifetime.start.p0(ptr %array)
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %from = getelementptr i32, ptr %in, i64 %wide
  %div.k = load i32, ptr %from, align 4
  %third = getelementptr inbounds i8, ptr %array, i64 12
  %div.f = uitofp i32 %div.k to float
  store float %div.f, ptr %third, align 4
  %index = zext i32 %div.k to i64
  %element = getelementptr inbounds float, ptr %array, i64 %index
  %value = load float, ptr %element, align 4
  %to = getelementptr float, ptr %out, i64 %wide
  store float %value, ptr %to, align 4
  call void @llvm.lifetime.end.p0(ptr %array)
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="256" }
