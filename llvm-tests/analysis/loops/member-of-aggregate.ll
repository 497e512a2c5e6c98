; A member of an aggregate changes from turn to turn although the aggregate as a whole is divergent from the start.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  ; CHECK: %i = uniform grid{{$}}
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %a = insertvalue { i32, i32 } poison, i32 %t, 1
  ; CHECK: %b = divergent{{$}}
  %b = insertvalue { i32, i32 } %a, i32 %i, 0
  ; CHECK: %uni.x = uniform grid{{$}}
  %uni.x = extractvalue { i32, i32 } %b, 0
  %next = add i32 %i, 1
  %more = icmp ne i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
