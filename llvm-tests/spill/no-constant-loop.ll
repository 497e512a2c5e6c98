; Constants that are stored in a loop are not what every read finds: the object keeps its copies.
; RUN: %opt -passes='steer-spills<victims=all+rare>' -verify-each -S %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-NOT: @warpwise_constant_kernel
; CHECK:     @warpwise_stack_kernel
define ptx_kernel void @kernel(ptr %out, i32 %n) #0 {
  %array = alloca [4 x i32], align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %place = and i64 %wide, 3
  store i32 1, ptr %array, align 4
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %element = getelementptr inbounds i32, ptr %array, i64 %place
  %value = load i32, ptr %element, align 4
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %value, ptr %to, align 4
  store i32 2, ptr %array, align 4
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="64" }
