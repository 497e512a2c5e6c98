; One address for all lanes.
;
; RUN: %opt -passes=warpwise-remarks -pass-remarks-analysis=warpwise -disable-output %s 2>&1 | %FileCheck %s

; CHECK: every lane reads the same address
; CHECK: every lane writes the same address
; CHECK: every lane updates the same address

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %p, i32 %n) {
  %v = load i32, ptr %p
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 %t, ptr %p
  %r = atomicrmw add ptr %p, i32 %t monotonic
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
