; An array that is filled with constants and then only read is a constant of the program. Lanes read it at different
; places: global memory. No launch bound is needed.
; RUN: %opt -passes=steer-spills -verify-each -pass-remarks=warpwise -S %s 2>%t | %FileCheck %s
; RUN: %FileCheck %s --check-prefix=REMARK < %t

target triple = "nvptx64-nvidia-cuda"

; REMARK: stack object %table ([4 x i32], 16 bytes) (indexed by %place) is never changed: moved from local memory to a constant in global memory

; CHECK: @warpwise_constant_kernel = internal addrspace(1) constant [16 x i8] c"\07\00\00\00\08\00\00\00\09\00\00\00\00\00\00\00", align 16
define ptx_kernel void @kernel(ptr %out) #0 {
; CHECK-LABEL: define ptx_kernel void @kernel
; CHECK-NOT:   alloca
; CHECK-NOT:   store i32 7
; CHECK:       [[AT:%.*]] = getelementptr [4 x i8], ptr addrspace(1) @warpwise_constant_kernel, i64 %place
; CHECK:       load i32, ptr addrspace(1) [[AT]], align 4
  %table = alloca [4 x i32], align 4
  store i32 9, ptr %table, align 4
  store <2 x i32> <i32 7, i32 8>, ptr %table, align 4
  %third = getelementptr inbounds i8, ptr %table, i64 8
  store i32 9, ptr %third, align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %place = and i64 %wide, 3
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %element = getelementptr inbounds i32, ptr %table, i64 %place
  %value = load i32, ptr %element, align 4
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %value, ptr %to, align 4
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, 10
  br i1 %more, label %loop, label %end
end:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { memory(argmem: write) "target-cpu"="sm_90" }
; CHECK: attributes #0 = { "target-cpu"="sm_90" }
