; Every lane writes the same to the same place, and before anything is read: one copy per warp, no barrier before.
; RUN: %opt -passes='steer-spills<victims=all+rare>' -verify-each -S %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK: @warpwise_stack_kernel = internal addrspace(3) global [128 x i8] poison, align 16

define ptx_kernel void @kernel(ptr %in, ptr %out, i32 %a, i32 %b) #0 {
; CHECK-LABEL: define ptx_kernel void @kernel
; CHECK:       %warpwise.warp = lshr i32 {{.*}}, 5
; CHECK-NOT:   bar.warp.sync
; CHECK:       store i32 %a, ptr addrspace(3) %warpwise.slots, align 4
; CHECK:       store i32 %b, ptr addrspace(3) {{.*}}, align 4
; CHECK:       call void @llvm.nvvm.bar.warp.sync(i32 -1)
; CHECK-NEXT:  getelementptr
; CHECK-NEXT:  load i32, ptr addrspace(3)
  %array = alloca [4 x i32], align 4
  store i32 %a, ptr %array, align 4
  %second = getelementptr inbounds i8, ptr %array, i64 4
  store i32 %b, ptr %second, align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %bit = and i32 %tid, 1
  %element = getelementptr inbounds i32, ptr %array, i32 %bit
  %value = load i32, ptr %element, align 4
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %value, ptr %to, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="256" }
