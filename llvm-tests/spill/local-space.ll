; Stack objects may be in the address space of local memory, as newer compilers have them, instead of the generic one.
; RUN: %opt -passes=steer-spills -verify-each -S %s -o %t.ll
; RUN: %FileCheck %s < %t.ll
; RUN: %warpwise simt --compare %s %t.ll --block 256 --arg 'i32[256]:fill:3' --arg 'f32[256]:zero'
; RUN: %warpwise simt %s --check --block 256 --arg 'i32[256]:fill:3' --arg 'f32[256]:zero' | %FileCheck %s --check-prefix=HOLDS

; HOLDS: {{[1-9][0-9]*}} claims compared, 0 violated
target triple = "nvptx64-nvidia-cuda"

; CHECK: @warpwise_stack_kernel = internal addrspace(3) global [16384 x i8] poison, align 16
; CHECK-NOT: alloca
define ptx_kernel void @kernel(ptr %in, ptr %out) #0 {
  %array = alloca [16 x float], align 4, addrspace(5)
  call void @llvm.lifetime.start.p5(ptr addrspace(5) %array)
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %from = getelementptr i32, ptr %in, i64 %wide
  %k = load i32, ptr %from, align 4
  %third = getelementptr inbounds i8, ptr addrspace(5) %array, i64 12
  %f = uitofp i32 %k to float
  store float %f, ptr addrspace(5) %third, align 4
  %index = zext i32 %k to i64
  %generic = addrspacecast ptr addrspace(5) %array to ptr
  %element = getelementptr inbounds float, ptr %generic, i64 %index
  %value = load float, ptr %element, align 4
  %to = getelementptr float, ptr %out, i64 %wide
  store float %value, ptr %to, align 4
  call void @llvm.lifetime.end.p5(ptr addrspace(5) %array)
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.lifetime.start.p5(ptr addrspace(5))
declare void @llvm.lifetime.end.p5(ptr addrspace(5))

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="256" }
