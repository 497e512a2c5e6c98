; In rows of warps `tid.x < 32k` is decided for a whole warp, other bounds are not; a bound above every index for all.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) "nvvm.reqntid"="256" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %uni.64 = uniform warp{{$}}
  %uni.64 = icmp ult i32 %t, 64
  ; CHECK: %uni.ge = uniform warp{{$}}
  %uni.ge = icmp sge i32 %t, 96
  ; CHECK: %uni.gt = uniform warp{{$}}
  %uni.gt = icmp ugt i32 %t, 31
  ; CHECK: %div.33 = divergent{{$}}
  %div.33 = icmp ult i32 %t, 33
  ; CHECK: %div.eq = divergent{{$}}
  %div.eq = icmp eq i32 %t, 64
  ; CHECK: %all = constant 1{{$}}
  %all = icmp ult i32 %t, 256
  ; CHECK: %none = constant 0{{$}}
  %none = icmp ugt i32 %t, 255
  %m = shl i32 %n, 5
  ; CHECK: %uni.sym = uniform warp{{$}}
  %uni.sym = icmp ult i32 %t, %m
  ; CHECK: %div.sym = divergent{{$}}
  %div.sym = icmp ult i32 %t, %n
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
