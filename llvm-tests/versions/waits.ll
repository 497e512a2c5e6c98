; A version may cost resident blocks (one of 2 must stay) for an object that a loop accesses at different places, unless blocks might wait
; for each other: then a grid that is resident as the kernel must be resident as a version.
; RUN: %opt -passes='steer-spills<versions;victims=all+rare>' -verify-each -pass-remarks-missed=warpwise -S %s 2>&1 | %FileCheck %s
; CHECK-DAG: stack object %array ([40 x i32], 160 bytes) {{.*}} would leave 5 of 8 blocks on a multiprocessor
; CHECK-DAG: @"alone$versions" = dso_local addrspace(1) constant [4 x i64] [i64 3616482057826816599, i64 5120, i64 16, i64 2]
; CHECK-NOT: waits$versions
; CHECK: define ptx_kernel void @"alone$v1"(
; CHECK-NOT: define ptx_kernel void @"waits$v1"(

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @alone(ptr %in, ptr %out, i32 %n) #0 {
entry:
  %array = alloca [40 x i32], align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %more, %loop ]
  %at = add i32 %i, %tid
  %from = getelementptr i32, ptr %in, i32 %at
  %div.k = load i32, ptr %from, align 4
  %index = and i32 %div.k, 31
  %element = getelementptr inbounds i32, ptr %array, i32 %index
  %old = load i32, ptr %element, align 4
  %new = add i32 %old, %i
  store i32 %new, ptr %element, align 4
  %more = add nuw nsw i32 %i, 1
  %goes = icmp ult i32 %more, %n
  br i1 %goes, label %loop, label %end

end:
  %to = getelementptr i32, ptr %out, i32 %tid
  store i32 %new, ptr %to, align 4
  ret void
}

define ptx_kernel void @waits(ptr %in, ptr %out, i32 %n) #0 {
entry:
  %array = alloca [40 x i32], align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %more, %loop ]
  %at = add i32 %i, %tid
  %from = getelementptr i32, ptr %in, i32 %at
  %div.k = load volatile i32, ptr %from, align 4
  %index = and i32 %div.k, 31
  %element = getelementptr inbounds i32, ptr %array, i32 %index
  %old = load i32, ptr %element, align 4
  %new = add i32 %old, %i
  store i32 %new, ptr %element, align 4
  %more = add nuw nsw i32 %i, 1
  %goes = icmp ult i32 %more, %n
  br i1 %goes, label %loop, label %end

end:
  %to = getelementptr i32, ptr %out, i32 %tid
  store i32 %new, ptr %to, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" }
