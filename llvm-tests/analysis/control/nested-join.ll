; Lanes parted at the outer branch meet at its join, not before.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, %n
  ; CHECK: br %c: divergent{{$}}
  br i1 %c, label %in, label %out
  ; CHECK: %in: divergent{{$}}
in:
  %u = icmp ult i32 %n, 7
  ; CHECK: br %u: uniform{{$}}
  br i1 %u, label %x, label %y
x:
  br label %meet
y:
  br label %meet
  ; CHECK: %meet: divergent{{$}}
meet:
  ; CHECK: %uni.p = uniform grid{{$}}
  %uni.p = phi i32 [ 1, %x ], [ 2, %y ]
  br label %out
  ; CHECK: %out: convergent{{$}}
out:
  ; CHECK: %div.p = divergent{{$}}
  %div.p = phi i32 [ %uni.p, %meet ], [ 0, %entry ]
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
