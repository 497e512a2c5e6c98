; The same, rewritten after it was read, and too large for a copy per thread: the second write waits for the warp.
; RUN: %opt -passes=steer-spills -verify-each -S %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @kernel(ptr %in, ptr %out, i32 %a, i32 %b) #0 {
; CHECK-LABEL: define ptx_kernel void @kernel
; CHECK:       store i32 %a, ptr addrspace(3)
; CHECK:       load i32, ptr addrspace(3)
; CHECK:       call void @llvm.nvvm.bar.warp.sync(i32 -1)
; CHECK:       store i32 %b, ptr addrspace(3)
; CHECK-NEXT:  call void @llvm.nvvm.bar.warp.sync(i32 -1)
; CHECK:       load i32, ptr addrspace(3)
  %array = alloca [100 x i32], align 4
  store i32 %a, ptr %array, align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %bit = and i32 %tid, 31
  %element = getelementptr inbounds i32, ptr %array, i32 %bit
  %first = load i32, ptr %element, align 4
  store i32 %b, ptr %array, align 4
  %second = load i32, ptr %element, align 4
  %value = add i32 %first, %second
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %value, ptr %to, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="256" }
