; The chain leads through the join of paths that lanes parted on.
;
; RUN: %opt -passes=warpwise-remarks -pass-remarks-analysis=warpwise -disable-output %s 2>&1 | %FileCheck %s

; CHECK: branch diverges: `flag == 1` depends on threadIdx.x through `flag`, set on paths that part at the branch

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, %n
  br i1 %c, label %a, label %j
a:
  br label %j
j:
  %flag = phi i32 [ 1, %a ], [ 2, %entry ]
  %d = icmp eq i32 %flag, 1
  br i1 %d, label %x, label %y
x:
  br label %y
y:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
