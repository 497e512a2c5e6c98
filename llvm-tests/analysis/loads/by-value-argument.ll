; A by-value argument that is only read is constant; one that is written is a copy of each thread.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'read'
define ptx_kernel void @read(ptr byval([4 x i32]) readonly %s) {
  ; CHECK: %uni.v = uniform grid{{$}}
  %uni.v = load i32, ptr %s
  ret void
}
; CHECK-LABEL: affine divergence for 'written'
define ptx_kernel void @written(ptr byval([4 x i32]) %s) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 %t, ptr %s
  ; CHECK: %div.v = divergent{{$}}
  %div.v = load i32, ptr %s
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
