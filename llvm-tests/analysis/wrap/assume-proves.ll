; `llvm.assume` bounds a value in the blocks it strictly dominates.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %small = icmp ult i32 %n, 1000
  call void @llvm.assume(i1 %small)
  br label %next
next:
  %a = add i32 %t, %n
  ; CHECK: %aff.z = affine 1*tid.x + uniform grid{{$}}
  %aff.z = zext i32 %a to i64
  ret void
}
; CHECK-LABEL: affine divergence for 'too_large'
define ptx_kernel void @too_large(i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %small = icmp ult i32 %n, -1
  call void @llvm.assume(i1 %small)
  br label %next
next:
  %a = add i32 %t, %n
  ; CHECK: %div.z = divergent{{$}}
  %div.z = zext i32 %a to i64
  ret void
}

declare void @llvm.assume(i1)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
