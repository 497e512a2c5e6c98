; All lanes of a vote get the same answer, if they agree on who votes.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, %n
  ; CHECK: %uni.all = uniform warp{{$}}
  %uni.all = call i1 @llvm.nvvm.vote.all.sync(i32 -1, i1 %c)
  ; CHECK: %uni.any = uniform warp{{$}}
  %uni.any = call i1 @llvm.nvvm.vote.any.sync(i32 %n, i1 %c)
  ; CHECK: %uni.uni = uniform warp{{$}}
  %uni.uni = call i1 @llvm.nvvm.vote.uni.sync(i32 -1, i1 %c)
  ; CHECK: %uni.ballot = uniform warp{{$}}
  %uni.ballot = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %c)
  ; CHECK: %div.ballot = divergent{{$}}
  %div.ballot = call i32 @llvm.nvvm.vote.ballot.sync(i32 %t, i1 %c)
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i1 @llvm.nvvm.vote.all.sync(i32, i1)
declare i1 @llvm.nvvm.vote.any.sync(i32, i1)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare i1 @llvm.nvvm.vote.uni.sync(i32, i1)
