; RUN: %opt -passes='steer-spills<regs=24>,verify' -S %s | %FileCheck %s
; An index that is loaded from the object itself: what stands in for the load must be used for the address too. It was
; erased under the address, and LLVM crashed.
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: @kernel
; CHECK-NOT: alloca
; CHECK: %[[INDEX:.*]] = load i32, ptr addrspace(3)
; CHECK: store i32 %[[INDEX]], ptr addrspace(3)
; CHECK-NOT: poison
define ptx_kernel void @kernel(ptr %in, ptr %out) "nvvm.maxntid"="64" "target-cpu"="sm_90" {
  %array = alloca [16 x i32], align 4
  %index = load i32, ptr %array, align 4
  %element = getelementptr inbounds i32, ptr %array, i32 %index
  store i32 %index, ptr %element, align 4
  store i32 %index, ptr %element, align 4
  ret void
}
