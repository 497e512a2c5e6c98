; A guard that dominates bounds the operands: below it the sum cannot wrap. On the other side it says nothing.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n, ptr %p) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %small = icmp ult i32 %n, 1000
  br i1 %small, label %below, label %above
below:
  %a = add i32 %t, %n
  ; CHECK: %aff.z = affine 1*tid.x + uniform grid{{$}}
  %aff.z = zext i32 %a to i64
  ; CHECK: %aff.s = affine 1*tid.x + uniform grid{{$}}
  %aff.s = sext i32 %a to i64
  br label %done
above:
  %b = add i32 %t, %n
  ; CHECK: %div.z = divergent{{$}}
  %div.z = zext i32 %b to i64
  br label %done
done:
  %c = add i32 %t, %n
  ; CHECK: %div.late = divergent{{$}}
  %div.late = zext i32 %c to i64
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
