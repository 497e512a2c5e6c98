; Equal terms cancel in an equality without any proof, in an order only with one in the same reading.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n, i32 %m) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = add i32 %t, %n
  %b = add i32 %t, %m
  ; CHECK: %uni.eq = uniform grid{{$}}
  %uni.eq = icmp eq i32 %a, %b
  ; CHECK: %uni.ne = uniform grid{{$}}
  %uni.ne = icmp ne i32 %a, %b
  ; CHECK: %div.slt = divergent{{$}}
  %div.slt = icmp slt i32 %a, %b
  ; CHECK: %div.ult = divergent{{$}}
  %div.ult = icmp ult i32 %a, %b
  ret void
}
; CHECK-LABEL: affine divergence for 'proven'
define ptx_kernel void @proven(i32 %n, i32 %m) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = add nsw i32 %t, %n
  %b = add nsw i32 %t, %m
  ; CHECK: %uni.slt = uniform grid{{$}}
  %uni.slt = icmp slt i32 %a, %b
  ; CHECK: %div.ult = divergent{{$}}
  %div.ult = icmp ult i32 %a, %b
  ret void
}
; CHECK-LABEL: affine divergence for 'half'
define ptx_kernel void @half(i32 %n, i32 %m) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = add nsw i32 %t, %n
  %b = add i32 %t, %m
  ; CHECK: %div.slt = divergent{{$}}
  %div.slt = icmp slt i32 %a, %b
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
