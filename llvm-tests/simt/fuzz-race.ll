; A check of a kernel tells a race: two threads store to one address.
; RUN: %not %warpwise fuzz check %s | %FileCheck %s
; CHECK: Race@
; launch: {"geometries":[{"grid":[1,1,1],"block":[64,1,1]}],"args":[{"buffer":{"elem":"i32","len":4,"fill":"zero"}}]}
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @kernel(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 %t, ptr %out, align 4
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
