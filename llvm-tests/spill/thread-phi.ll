; Pointers that meet in phis and selects become offsets that do.
; RUN: %opt -passes='steer-spills<victims=all+rare>' -verify-each -S %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @kernel(ptr %in, ptr %out, i32 %n) #0 {
; CHECK-LABEL: define ptx_kernel void @kernel
; CHECK:       loop:
; CHECK:       [[OFFSET:%.*]] = phi i32 [ 0, %entry ], [ [[NEXT:%.*]], %loop ]
; CHECK-NOT:   ptr addrspace(5)
; CHECK:       store i32 %i, ptr addrspace(3)
; CHECK:       [[NEXT]] = add i32 [[OFFSET]], 4
; CHECK:       exit:
; CHECK:       select i1 %div.c, i32 {{.*}}, i32 {{.*}}
entry:
  %array = alloca [8 x i32], align 4
  br label %loop
loop:
  %p = phi ptr [ %array, %entry ], [ %q, %loop ]
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  store i32 %i, ptr %p, align 4
  %q = getelementptr inbounds i8, ptr %p, i64 4
  %j = add i32 %i, 1
  %again = icmp ult i32 %j, %n
  br i1 %again, label %loop, label %exit
exit:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %div.c = icmp ult i32 %tid, 7
  %third = getelementptr inbounds i8, ptr %array, i64 12
  %s = select i1 %div.c, ptr %third, ptr %p
  %value = load i32, ptr %s, align 4
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %value, ptr %to, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="256" }
