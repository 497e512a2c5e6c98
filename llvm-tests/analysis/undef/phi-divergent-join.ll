; Lanes that come by the undefined edge hold whatever is in the register: the others may not speak for them.
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
a:
  br label %j
b:
  br label %j
j:
  ; CHECK: %div.p = divergent{{$}}
  %div.p = phi i32 [ undef, %a ], [ %n, %b ]
  ; CHECK: %div.q = divergent{{$}}
  %div.q = phi i32 [ poison, %a ], [ 5, %b ]
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
