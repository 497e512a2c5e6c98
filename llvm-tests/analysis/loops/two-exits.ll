; One divergent exit is enough to part the lanes, whichever exit the value leaves by.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %head
head:
  ; CHECK: %i = uniform grid{{$}}
  ; CHECK: %i = divergent after the loop of %head{{$}}
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %own = icmp eq i32 %i, %t
  ; CHECK: br %own: divergent{{$}}
  br i1 %own, label %out.a, label %latch
latch:
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  ; CHECK: br %more: uniform{{$}}
  br i1 %more, label %head, label %out.b
out.a:
  ; CHECK: %div.a = divergent{{$}}
  %div.a = phi i32 [ %i, %head ]
  ret void
out.b:
  ; CHECK: %div.b = divergent{{$}}
  %div.b = phi i32 [ %i, %latch ]
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
