; A lane that leaves for a return of its own may still read while the others write: the write waits for it. The barrier
; tells which side is the guard.
; RUN: %opt -passes=steer-spills -verify-each -S %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @kernel(ptr %out, i32 %a, i32 %b) #0 {
; CHECK-LABEL: define ptx_kernel void @kernel
; CHECK:       entry:
; CHECK:       store i32 %a, ptr addrspace(3)
; CHECK:       rest:
; CHECK-NEXT:  call void @llvm.nvvm.bar.warp.sync(i32 -1)
; CHECK-NEXT:  store i32 %b, ptr addrspace(3)
entry:
  %array = alloca [100 x i32], align 4
  store i32 %a, ptr %array, align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %to = getelementptr i32, ptr %out, i64 %wide
  %div.c = icmp ult i32 %tid, 77
  br i1 %div.c, label %leave, label %rest
leave:
  %old = load i32, ptr %array, align 4
  store i32 %old, ptr %to, align 4
  ret void
rest:
  store i32 %b, ptr %array, align 4
  %bit = and i32 %tid, 31
  %element = getelementptr inbounds i32, ptr %array, i32 %bit
  %new = load i32, ptr %element, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store i32 %new, ptr %to, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="256" }
