; Lanes leave the inner loop in different iterations and meet again in the outer one: what counts outer iterations stays uniform.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %outer
outer:
  ; CHECK: %i = uniform grid{{$}}
  %i = phi i32 [ 0, %entry ], [ %i.next, %tail ]
  br label %inner
inner:
  ; CHECK: %j = uniform grid{{$}}
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner ]
  ; CHECK: %j.next = uniform grid{{$}}
  ; CHECK: %j.next = divergent after the loop of %inner{{$}}
  %j.next = add i32 %j, 1
  %again = icmp ult i32 %j.next, %t
  ; CHECK: br %again: divergent{{$}}
  br i1 %again, label %inner, label %tail
  ; CHECK: %tail: convergent{{$}}
tail:
  ; CHECK: %div.j = divergent{{$}}
  %div.j = phi i32 [ %j.next, %inner ]
  ; CHECK: %i.next = uniform grid{{$}}
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  ; CHECK: br %more: uniform{{$}}
  br i1 %more, label %outer, label %exit
exit:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
