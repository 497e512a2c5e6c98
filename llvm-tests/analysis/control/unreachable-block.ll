; A block that is never reached claims nothing and joins nothing.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
entry:
  br label %j
  ; CHECK: %dead: unreachable{{$}}
dead:
  ; CHECK: %t = unreached{{$}}
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %j
  ; CHECK: %j: convergent{{$}}
j:
  ; CHECK: %uni.p = uniform grid{{$}}
  %uni.p = phi i32 [ %n, %entry ], [ %t, %dead ]
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
