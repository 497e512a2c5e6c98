; Lanes of one dynamic instance may execute `activemask` apart from each other, so a vote under it proves nothing.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %div.m = divergent{{$}}
  %div.m = call i32 @llvm.nvvm.activemask()
  %c = icmp eq i32 %t, 0
  ; CHECK: %div.v = divergent{{$}}
  %div.v = call i1 @llvm.nvvm.vote.any.sync(i32 %div.m, i1 %c)
  ret void
}

declare i32 @llvm.nvvm.activemask()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i1 @llvm.nvvm.vote.any.sync(i32, i1)
