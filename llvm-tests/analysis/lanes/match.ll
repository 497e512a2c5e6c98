; `match.all` answers the same to all who ask together; `match.any` tells each lane its group.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %uni.all = uniform warp{{$}}
  %uni.all = call {i32, i1} @llvm.nvvm.match.all.sync.i32p(i32 -1, i32 %t)
  ; CHECK: %uni.mask = uniform warp{{$}}
  %uni.mask = extractvalue {i32, i1} %uni.all, 0
  ; CHECK: %div.any = divergent{{$}}
  %div.any = call i32 @llvm.nvvm.match.any.sync.i32(i32 -1, i32 %t)
  ret void
}

declare {i32, i1} @llvm.nvvm.match.all.sync.i32p(i32, i32)
declare i32 @llvm.nvvm.match.any.sync.i32(i32, i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
