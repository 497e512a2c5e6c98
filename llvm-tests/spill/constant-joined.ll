; A table that is chosen between: both are constants of the program, and reads of either stay as they are. Both are
; filled in a loop, always alike, before every read.
; RUN: %opt -passes=steer-spills -verify-each -pass-remarks=warpwise -S %s 2>%t | %FileCheck %s
; RUN: %FileCheck %s --check-prefix=REMARK < %t
; The loads become global loads.
; RUN: %opt -passes=steer-spills -S %s | %opt -passes=infer-address-spaces -S | %FileCheck %s --check-prefix=GLOBAL

target triple = "nvptx64-nvidia-cuda"

; REMARK: stack object %days ([2 x i32], 8 bytes) (indexed by %place) is never changed: moved from local memory to a constant in global memory
; REMARK: stack object %leap ([2 x i32], 8 bytes) (indexed by %place) is never changed: moved from local memory to a constant in global memory

; CHECK-DAG: [[DAYS:@warpwise_constant_kernel.*]] = internal addrspace(1) constant [8 x i8] c"\1F\00\00\00\1C\00\00\00", align 16
; CHECK-DAG: [[LEAP:@warpwise_constant_kernel.*]] = internal addrspace(1) constant [8 x i8] c"\1F\00\00\00\1D\00\00\00", align 16
; CHECK-LABEL: define ptx_kernel void @kernel
; CHECK-NOT:   alloca
; CHECK-NOT:   store <2 x i32>
; CHECK-NOT:   llvm.lifetime
; CHECK:       select i1 %c, ptr addrspacecast (ptr addrspace(1) [[LEAP]] to ptr), ptr addrspacecast (ptr addrspace(1) [[DAYS]] to ptr)
; GLOBAL:      load i32, ptr addrspace(1)
define ptx_kernel void @kernel(ptr %out, i32 %n) #0 {
  %days = alloca [2 x i32], align 4
  %leap = alloca [2 x i32], align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %place = and i64 %wide, 1
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  call void @llvm.lifetime.start.p0(ptr %days)
  call void @llvm.lifetime.start.p0(ptr %leap)
  store <2 x i32> <i32 31, i32 28>, ptr %days, align 4
  store <2 x i32> <i32 31, i32 29>, ptr %leap, align 4
  %c = icmp eq i32 %i, %n
  %table = select i1 %c, ptr %leap, ptr %days
  %element = getelementptr inbounds i32, ptr %table, i64 %place
  %value = load i32, ptr %element, align 4
  call void @llvm.lifetime.end.p0(ptr %leap)
  call void @llvm.lifetime.end.p0(ptr %days)
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %value, ptr %to, align 4
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, 10
  br i1 %more, label %loop, label %end
end:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="64" }
