; Where lanes come together by different paths, different values are divergent and equal ones are not.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, %n
  ; CHECK: br %c: divergent{{$}}
  br i1 %c, label %a, label %b
  ; CHECK: %a: divergent{{$}}
a:
  br label %j
  ; CHECK: %b: divergent{{$}}
b:
  br label %j
  ; CHECK: %j: convergent{{$}}
j:
  ; CHECK: %div.p = divergent{{$}}
  %div.p = phi i32 [ 1, %a ], [ 2, %b ]
  ; CHECK: %same = constant 3{{$}}
  %same = phi i32 [ 3, %a ], [ 3, %b ]
  ; CHECK: %aff.p = affine 1*tid.x{{$}}
  %aff.p = phi i32 [ %t, %a ], [ %t, %b ]
  ; CHECK: %div.q = divergent{{$}}
  %div.q = phi i32 [ %n, %a ], [ 0, %b ]
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
