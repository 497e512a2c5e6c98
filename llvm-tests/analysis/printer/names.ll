; Unnamed values and blocks are called as LLVM prints them, strange names are quoted.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k' (block unknown):
; CHECK-NEXT: %1: convergent
; CHECK-NEXT:   %2 = affine 1*tid.x
; CHECK-NEXT:   %"a b" = affine 1*tid.x + uniform grid
; CHECK-NEXT:   %3 = divergent
; CHECK-NEXT:   br %3: divergent
; CHECK-NEXT:     uniform if blockDim.x <= %0, or if blockDim.x and %0 are multiples of 32
; CHECK-NEXT: %4: divergent
; CHECK-NEXT: %5: convergent
; CHECK-NEXT:   %6 = uniform grid
define ptx_kernel void @k(i32 %0) {
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %"a b" = add i32 %2, %0
  %3 = icmp ult i32 %2, %0
  br i1 %3, label %4, label %5
4:
  br label %5
5:
  %6 = add i32 %0, 1
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
