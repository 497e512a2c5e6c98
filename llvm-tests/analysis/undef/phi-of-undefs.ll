; A phi of undefined values only does not hold back what depends on it, nor is it skipped in later joins.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, %n
  br i1 %c, label %a, label %b
a:
  ; CHECK: %u = uniform grid{{$}}
  %u = phi i32 [ undef, %entry ]
  ; CHECK: %bit = uniform grid{{$}}
  %bit = and i32 %u, 1
  br label %j
b:
  br label %j
j:
  ; CHECK: %div.p = divergent{{$}}
  %div.p = phi i32 [ %bit, %a ], [ 5, %b ]
  ret void
}
; CHECK-LABEL: affine divergence for 'web'
define ptx_kernel void @web(i1 %c) {
entry:
  br label %loop
loop:
  ; CHECK: %p = uniform grid{{$}}
  %p = phi i32 [ undef, %entry ], [ %q, %next ]
  br label %next
next:
  ; CHECK: %q = uniform grid{{$}}
  %q = phi i32 [ %p, %loop ]
  %odd = trunc i32 %q to i1
  ; CHECK: br %odd: uniform{{$}}
  br i1 %odd, label %loop, label %exit
exit:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
