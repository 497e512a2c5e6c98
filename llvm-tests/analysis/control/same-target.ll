; A branch with one target parts nobody.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, %n
  ; CHECK: br %c: uniform{{$}}
  br i1 %c, label %j, label %j
  ; CHECK: %j: convergent{{$}}
j:
  ; CHECK: %uni.p = uniform grid{{$}}
  %uni.p = phi i32 [ %n, %entry ], [ %n, %entry ]
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
