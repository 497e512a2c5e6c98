; The same at a place that the warp agrees on: constant memory. In a device function too, as there is nothing to share.
; RUN: %opt -passes=steer-spills -verify-each -S %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK: @warpwise_constant_helper = internal addrspace(4) constant [8 x i8] c"\00\00\80?\00\00\00@", align 16
define float @helper(i32 %which) #0 {
; CHECK-LABEL: define float @helper
; CHECK-NOT:   alloca
; CHECK:       load float, ptr addrspace(4)
  %table = alloca [2 x float], align 4
  %second = getelementptr inbounds i8, ptr %table, i64 4
  store float 1.0, ptr %table, align 4
  store float 2.0, ptr %second, align 4
  %ctaid = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %place = and i32 %ctaid, 1
  %element = getelementptr inbounds float, ptr %table, i32 %place
  %value = load float, ptr %element, align 4
  ret float %value
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

attributes #0 = { "target-cpu"="sm_90" }
