; Nothing is known of the block's size: a second body, with slots for 256 threads, behind a test at entry.
; RUN: %opt -passes='steer-spills<victims=all+rare>' -verify-each -pass-remarks=warpwise -S %s 2>%t | %FileCheck %s
; RUN: %FileCheck %s --check-prefix=REMARK < %t

target triple = "nvptx64-nvidia-cuda"

; REMARK: stack object %array ([8 x i32], 32 bytes) (indexed by %div.k) moved from local to shared memory: one copy per thread, 8192 bytes for 256 threads

; CHECK: @warpwise_stack_kernel.slots = internal addrspace(3) global [8192 x i8] poison, align 16
; CHECK-NOT: define{{.*}}@kernel.slots
define ptx_kernel void @kernel(ptr %in, ptr %out) #0 {
; CHECK-LABEL: define ptx_kernel void @kernel
; CHECK:       warpwise.entry:
; CHECK:         [[X:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
; CHECK:         [[Y:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
; CHECK:         mul nuw i32 [[X]], [[Y]]
; CHECK:         call i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
; CHECK:         [[ABOVE:%.*]] = sub i32 %warpwise.threads{{.*}}, 32
; CHECK:         %warpwise.fits = icmp ule i32 [[ABOVE]], 224
; CHECK-NEXT:    %array = alloca [8 x i32]
; CHECK-NEXT:    br i1 %warpwise.fits, label %[[SLOTS:.*]], label %[[PLAIN:.*]]
; CHECK:       [[PLAIN]]:
; CHECK:         store i32 %div.k, ptr %element
; CHECK:         ret void
; CHECK:       [[SLOTS]]:
; CHECK:         store i32 %{{.*}}, ptr addrspace(3)
; CHECK:         ret void
entry:
  %array = alloca [8 x i32], align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %from = getelementptr i32, ptr %in, i64 %wide
  %div.k = load i32, ptr %from, align 4
  %element = getelementptr inbounds i32, ptr %array, i32 %div.k
  store i32 %div.k, ptr %element, align 4
  %value = load i32, ptr %array, align 4
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %value, ptr %to, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" }
