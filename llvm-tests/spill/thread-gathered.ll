; In a loop, at places that differ between lanes: worth some occupancy, which the same accesses outside loops are not.
; RUN: %opt -passes=steer-spills -verify-each -S %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK: @warpwise_stack_kernel = internal addrspace(3) global [32768 x i8] poison, align 16
define ptx_kernel void @kernel(ptr %in, ptr %out, i32 %n) #0 {
entry:
  %array = alloca [32 x i32], align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ %tid, %entry ], [ %more, %loop ]
  %place = and i32 %sum, 31
  %element = getelementptr inbounds i32, ptr %array, i32 %place
  store i32 %sum, ptr %element, align 4
  %value = load i32, ptr %element, align 4
  %more = add i32 %value, %sum
  %next = add i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %more, ptr %to, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="256" }
