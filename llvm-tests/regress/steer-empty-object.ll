; RUN: %opt -passes='steer-spills<regs=24;victims=all>,verify' -S %s 2>&1 | %FileCheck %s
; An object of no bytes is no object to move: there is no place to move it to.
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: @kernel
; CHECK: alloca [4 x i64], i32 0
define ptx_kernel void @kernel(ptr %in, ptr %out) "nvvm.maxnreg"="24" "nvvm.maxntid"="256" "target-cpu"="sm_90" {
  %array = alloca [4 x i64], i32 0, align 8
  %k = load i32, ptr %in, align 4
  %word = getelementptr inbounds i32, ptr %array, i32 %k
  store i32 %k, ptr %word, align 4
  %value = load double, ptr %word, align 8
  store double %value, ptr %out, align 8
  ret void
}
