; A copy byte by byte of more bytes than are taken apart.
; RUN: %opt -passes=steer-spills -verify-each -pass-remarks-missed=warpwise -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK: stays in local memory{{.*}}: it is copied or filled by 1024 bytes at once, in too many pieces

define ptx_kernel void @kernel(ptr %in, ptr %out, i32 %k) #0 {
  %array = alloca [1024 x i8], align 1
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %array, ptr align 1 %in, i64 1024, i1 false)
  %other = getelementptr inbounds i8, ptr %array, i32 %k
  %value = load i8, ptr %other, align 1
  store i8 %value, ptr %out, align 4
  ret void
}

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="256" }
