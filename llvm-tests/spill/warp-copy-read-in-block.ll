; A lane reads what others wrote in the same block: the warp meets between, so there is no race although every lane wrote
; the same.
; RUN: %opt -passes='steer-spills<victims=all+rare>' -verify-each -S %s -o %t.ll
; RUN: %FileCheck %s < %t.ll
; RUN: %warpwise simt --compare %s %t.ll --block 64 --race shared -a 'i32[64]:zero' -a i32:3 -a i32:4

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @kernel(ptr %out, i32 %a, i32 %b) #0 {
; CHECK:       store i32 %b, ptr addrspace(3)
; CHECK:       call void @llvm.nvvm.bar.warp.sync(i32 -1)
; CHECK:       load i32, ptr addrspace(3)
; CHECK-NOT:   call void @llvm.nvvm.bar.warp.sync
; CHECK:       ret void
  %array = alloca [2 x i32], align 4
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

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="64" }
