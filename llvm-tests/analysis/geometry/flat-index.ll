; Of a known shape the flat index is 32*q + laneid, whether or not rows are whole warps: its warp index is uniform and its
; low bits are the lane. An index with another row length is not, nor is one where the shape is unknown.
;
; RUN: %opt -passes='print<affine-divergence<block=16x16>>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -passes='print<affine-divergence<block=16x15>>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -passes='print<affine-divergence<block=17x15>>' -disable-output %s 2>&1 | %FileCheck %s --check-prefix=NOT
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s --check-prefix=NOT

; CHECK: %warp = uniform warp
; CHECK: %whole = uniform warp
; CHECK: %lane = affine 1*laneid
; CHECK: %half = divergent
; CHECK: br %c: uniform
; CHECK: %other = divergent

; NOT: %warp = divergent
; NOT: %whole = divergent
; NOT: %lane = divergent
; NOT: br %c: divergent

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(i32 %n) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %row = shl i32 %y, 4
  %flat = add i32 %row, %x
  %warp = lshr i32 %flat, 5
  %whole = and i32 %flat, -32
  %lane = and i32 %flat, 31
  %half = lshr i32 %flat, 4
  %c = icmp ult i32 %flat, 64
  br i1 %c, label %then, label %done
then:
  br label %done
done:
  %wide = mul i32 %y, 17
  %off = add i32 %wide, %x
  %other = lshr i32 %off, 5
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
