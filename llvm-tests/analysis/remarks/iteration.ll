; The chain leads through the loop that lanes leave in different iterations.
;
; RUN: %opt -passes=warpwise-remarks -pass-remarks-analysis=warpwise -disable-output %s 2>&1 | %FileCheck %s

; CHECK: branch diverges: `i + 1 < threadIdx.x` depends on threadIdx.x
; CHECK: branch diverges: `i + 1 == n` depends on threadIdx.x through {{.*}}the iteration in which lanes leave the loop

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %t
  br i1 %more, label %loop, label %after
after:
  %odd = icmp eq i32 %next, %n
  br i1 %odd, label %a, label %b
a:
  br label %b
b:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
