; Words and a double word in one object: rows of words, and the double word in two pieces.
; RUN: %opt -passes=steer-spills -verify-each -S %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @kernel(ptr %in, ptr %out) #0 {
; CHECK-LABEL: define ptx_kernel void @kernel
; CHECK:       store i32 %div.k, ptr addrspace(3) {{.*}}, align 4
; CHECK:       [[LOW:%.*]] = load i32, ptr addrspace(3) {{.*}}, align 4
; CHECK:       [[ONE:%.*]] = insertelement <2 x i32> poison, i32 [[LOW]], i32 0
; CHECK:       [[HIGH:%.*]] = load i32, ptr addrspace(3) {{.*}}, align 4
; CHECK:       [[BOTH:%.*]] = insertelement <2 x i32> [[ONE]], i32 [[HIGH]], i32 1
; CHECK:       bitcast <2 x i32> [[BOTH]] to double
  %array = alloca [4 x i64], align 8
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %from = getelementptr i32, ptr %in, i64 %wide
  %div.k = load i32, ptr %from, align 4
  %word = getelementptr inbounds i32, ptr %array, i32 %div.k
  store i32 %div.k, ptr %word, align 4
  %pair = getelementptr inbounds i64, ptr %array, i32 %div.k
  %value = load double, ptr %pair, align 8
  %to = getelementptr double, ptr %out, i64 %wide
  store double %value, ptr %to, align 8
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="256" }
