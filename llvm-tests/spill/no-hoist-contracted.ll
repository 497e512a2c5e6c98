; A product and its sum become one multiply-add where they are. Computed by one thread at the start, with or without each other,
; they might not, or others might: results would differ in the last bit.
; RUN: %opt -passes='steer-spills<victims=none;hoist-grid;hoist-all>' -pass-remarks=warpwise -S %s 2>&1 | %FileCheck %s
; CHECK-NOT: is executed by one thread
; CHECK: define ptx_kernel void @k(
; CHECK-NOT: barrier
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr noalias %p, float %x, float %y, float %z) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %product = fmul contract float %x, %y
  %sum = fadd contract float %product, %z
  %q = fdiv float %sum, %x
  %at = getelementptr float, ptr %p, i32 %t
  store float %q, ptr %at
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="256" }
