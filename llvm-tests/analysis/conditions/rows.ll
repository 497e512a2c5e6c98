; Without a known shape a warp may span rows. What would be uniform if rows were whole warps, or if there were one, is
; printed with that condition, and so is what needs arguments to be multiples of 32 besides. None of it is a fact.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -passes='print<affine-divergence<block=64x2>>' -disable-output %s 2>&1 | %FileCheck %s --check-prefix=ROWS
; RUN: %opt -passes='print<affine-divergence<block=48x2>>' -disable-output %s 2>&1 | %FileCheck %s --check-prefix=ODD

target triple = "nvptx64-nvidia-cuda"

; ODD-NOT: multiple
; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n, i32 %m) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %s = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  ; CHECK: %w = divergent
  %w = lshr i32 %t, 5
  %first = icmp eq i32 %w, 0
  ; CHECK: br %first: divergent{{$}}
  ; CHECK-NEXT: uniform if blockDim.x is a multiple of 32, or if the block has one dimension{{$}}
  ; ROWS: br %first: uniform
  br i1 %first, label %a, label %done
a:
  %row = icmp eq i32 %y, %n
  ; CHECK: br %row: divergent{{$}}
  ; CHECK-NEXT: uniform if blockDim.x is a multiple of 32, or if the block has one dimension{{$}}
  br i1 %row, label %b2, label %done
b2:
  %start = mul i32 %y, %s
  %flat = add i32 %start, %t
  %q = lshr i32 %flat, 5
  %warp = icmp eq i32 %q, %n
  ; CHECK: br %warp: divergent{{$}}
  ; CHECK-NEXT: uniform if blockDim.x is a multiple of 32, or if the block has one dimension{{$}}
  br i1 %warp, label %c, label %done
c:
  %base = mul i32 %b, %s
  %i = add i32 %base, %t
  %inside = icmp ult i32 %i, %n
  ; CHECK: br %inside: divergent{{$}}
  ; CHECK-NEXT: uniform if gridDim.x * blockDim.x <= %n, or if blockDim.x and %n are multiples of 32{{$}}
  ; ROWS: br %inside: divergent{{$}}
  ; ROWS-NEXT: uniform if gridDim.x * 64 <= %n, or if %n is a multiple of 32{{$}}
  br i1 %inside, label %d, label %done
d:
  %bit = and i32 %t, 1
  %one = icmp eq i32 %bit, 0
  ; CHECK: br %one: divergent{{$}}
  ; CHECK-NOT: uniform if
  br i1 %one, label %loop, label %done
loop:
  %k = phi i32 [ %t, %d ], [ %next, %loop ]
  %next = add i32 %k, %s
  %more = icmp ult i32 %next, %m
  ; CHECK: br %more: divergent{{$}}
  ; CHECK-NEXT: uniform if blockDim.x and %m are multiples of 32{{$}}
  br i1 %more, label %loop, label %done
done:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
