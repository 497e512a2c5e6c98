; A barrier that only part of a warp reaches is a fault in lockstep, and never completes when lanes go their own ways.
; RUN: %not %warpwise simt %s --block 32 --arg 'i32[64]:zero' 2>&1 | %FileCheck %s
; RUN: %not %warpwise simt %s --block 32 --arg 'i32[64]:zero' --scheduler independent:1 2>&1 | %FileCheck %s --check-prefix=LOOSE

; CHECK: barrier 0 reached by lanes 0x0000ffff of warp 0 while lanes 0xffff0000 of it are elsewhere
; LOOSE: barrier {{[01]}} never completes: 16 of 32 threads arrived and no other thread can run

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, 16
  br i1 %c, label %a, label %b
a:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %b
b:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 1)
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
