; A shuffle is uniform from one source lane of the whole warp; from a lane of each segment, or of the reader, it is not.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x = mul i32 %t, %t
  ; CHECK: %uni.zero = uniform warp{{$}}
  %uni.zero = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %x, i32 0, i32 31)
  ; CHECK: %uni.n = uniform warp{{$}}
  %uni.n = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %x, i32 %n, i32 31)
  ; CHECK: %div.lane = divergent{{$}}
  %div.lane = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %x, i32 %t, i32 31)
  ; CHECK: %div.segment = divergent{{$}}
  %div.segment = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %x, i32 0, i32 4127)
  ; CHECK: %div.mask = divergent{{$}}
  %div.mask = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 %t, i32 %x, i32 0, i32 31)
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
