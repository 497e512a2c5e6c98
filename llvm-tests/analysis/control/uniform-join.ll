; A branch that lanes take together makes nothing divergent.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %n, 10
  ; CHECK: br %c: uniform{{$}}
  br i1 %c, label %a, label %b
  ; CHECK: %a: convergent{{$}}
a:
  %t1 = add i32 %t, 1
  br label %j
  ; CHECK: %b: convergent{{$}}
b:
  br label %j
j:
  ; CHECK: %uni.p = uniform grid{{$}}
  %uni.p = phi i32 [ 1, %a ], [ 2, %b ]
  ; CHECK: %aff.p = affine 1*tid.x + uniform grid{{$}}
  %aff.p = phi i32 [ %t1, %a ], [ %t, %b ]
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
