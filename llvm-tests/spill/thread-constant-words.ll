; Constants of 64 bits in rows of words: two integers each, no expression of vectors.
; RUN: %opt -passes=steer-spills -verify-each -S %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @kernel(ptr %in, ptr %out) #0 {
; CHECK-LABEL: define ptx_kernel void @kernel
; CHECK-NOT:   extractelement
; CHECK:       store i32 6, ptr addrspace(3) {{.*}}, align 4
; CHECK:       store i32 5, ptr addrspace(3) {{.*}}, align 4
; CHECK:       store i32 0, ptr addrspace(3) {{.*}}, align 4
; CHECK:       store i32 1073217536, ptr addrspace(3) {{.*}}, align 4
; CHECK:       store i32 -1, ptr addrspace(3) {{.*}}, align 4
; CHECK:       store i32 -1, ptr addrspace(3) {{.*}}, align 4
; CHECK:       store i32 4, ptr addrspace(3) {{.*}}, align 4
; CHECK:       store i32 0, ptr addrspace(3) {{.*}}, align 4
  %array = alloca [4 x i64], align 8
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %from = getelementptr i32, ptr %in, i64 %wide
  %div.k = load i32, ptr %from, align 4
  %pair = getelementptr inbounds i64, ptr %array, i32 %div.k
  store i64 21474836486, ptr %pair, align 8
  store double 1.5, ptr %pair, align 8
  store i64 -1, ptr %pair, align 8
  store <1 x i64> splat (i64 4), ptr %pair, align 8
  %word = getelementptr inbounds i32, ptr %array, i32 %div.k
  %value = load i32, ptr %word, align 4
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %value, ptr %to, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="256" }
