; A remark on a divergent branch ends with the launches in which it would be uniform.
;
; RUN: %opt -passes=warpwise-remarks -pass-remarks-analysis=warpwise -disable-output %s 2>&1 | %FileCheck %s

; CHECK: branch diverges: `threadIdx.x < n` depends on threadIdx.x; uniform if blockDim.x <= n, or if blockDim.x and n are multiples of 32{{$}}
; CHECK: branch diverges: `threadIdx.x == 0` depends on threadIdx.x{{$}}

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %t, %n
  br i1 %c, label %a, label %b
a:
  %d = icmp eq i32 %t, 0
  br i1 %d, label %e, label %b
e:
  br label %b
b:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
