; A divergent branch is told with what its condition depends on; a uniform one is not told.
;
; RUN: %opt -passes=warpwise-remarks -pass-remarks-analysis=warpwise -disable-output %s 2>&1 | %FileCheck %s

; CHECK: remark: {{.*}}branch diverges: `threadIdx.x < n` depends on threadIdx.x
; CHECK-NOT: branch diverges

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %t, %n
  br i1 %c, label %a, label %b
a:
  %u = icmp slt i32 %n, 7
  br i1 %u, label %b, label %b2
b2:
  br label %b
b:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
