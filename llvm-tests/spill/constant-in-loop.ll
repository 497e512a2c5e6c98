; A table that is filled anew in every iteration, always alike, is a constant of the program: on no path is a read
; preceded by part of the stores only.
; RUN: %opt -passes=steer-spills -verify-each -S %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK: @warpwise_constant_kernel = internal addrspace(1) constant [8 x i8] c"\01\00\00\00\02\00\00\00", align 16
; CHECK-LABEL: define ptx_kernel void @kernel
; CHECK-NOT:   alloca
; CHECK-NOT:   call void @llvm.memset
define ptx_kernel void @kernel(ptr %out, i32 %n) #0 {
  %table = alloca [2 x i32], align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %place = and i64 %wide, 1
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %more ]
  call void @llvm.memset.p0.i64(ptr align 4 %table, i8 0, i64 8, i1 false)
  %skip = icmp eq i32 %i, %n
  br i1 %skip, label %more, label %fill
fill:
  store i32 1, ptr %table, align 4
  %second = getelementptr inbounds i8, ptr %table, i64 4
  store i32 2, ptr %second, align 4
  %element = getelementptr inbounds i32, ptr %table, i64 %place
  %value = load i32, ptr %element, align 4
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %value, ptr %to, align 4
  br label %more
more:
  %next = add i32 %i, 1
  %again = icmp slt i32 %next, 10
  br i1 %again, label %loop, label %end
end:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

attributes #0 = { "target-cpu"="sm_90" }
