; Lanes that enter a cycle at different blocks are in different iterations: nothing carried around it is uniform.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, %n
  ; CHECK: br %c: divergent{{$}}
  br i1 %c, label %left, label %right
left:
  ; CHECK: %div.l = divergent{{$}}
  %div.l = phi i32 [ 0, %entry ], [ %div.r, %right ]
  %l.next = add i32 %div.l, 1
  br label %right
right:
  ; CHECK: %div.r = divergent{{$}}
  %div.r = phi i32 [ 0, %entry ], [ %l.next, %left ]
  %more = icmp ult i32 %div.r, %n
  br i1 %more, label %left, label %exit
exit:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
