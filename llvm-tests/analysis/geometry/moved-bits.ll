; `tid.x / 32 * 8` reaches us as `(tid.x >> 2) & ~7`: the mask keeps only bits in which a warp agrees.
;
; RUN: %opt -passes='print<affine-divergence<block=256>>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -passes='print<affine-divergence<block=65x2>>' -disable-output %s 2>&1 | %FileCheck --check-prefix=NO-ROWS %s
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck --check-prefix=NO-ROWS %s

target triple = "nvptx64-nvidia-cuda"

; NO-ROWS-LABEL: affine divergence for 'shifts'
; NO-ROWS-NOT: = uniform warp
; CHECK-LABEL: affine divergence for 'shifts'
define ptx_kernel void @shifts(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %s = divergent{{$}}
  %s = lshr i32 %t, 2
  ; CHECK: %eight = uniform warp{{$}}
  %eight = and i32 %s, -8
  ; CHECK: %one.lane.bit = divergent{{$}}
  %one.lane.bit = and i32 %s, -4
  ; CHECK: %a = uniform warp{{$}}
  %a.s = ashr i32 %t, 3
  %a = and i32 %a.s, 28
  ; CHECK: %signs = divergent{{$}}
  %signs.x = shl i32 %t, 28
  %signs.s = ashr i32 %signs.x, 28
  %signs = and i32 %signs.s, -8
  ; CHECK: %wide = uniform warp{{$}}
  %z = zext i32 %s to i64
  %wide = and i64 %z, 248
  ; CHECK: %narrow = uniform warp{{$}}
  %tr = trunc i32 %s to i8
  %narrow = and i8 %tr, 56
  ; CHECK: %x = uniform warp{{$}}
  %x.s = xor i32 %t, %n
  %x.m = lshr i32 %t, 1
  %x = and i32 %x.m, 1008
  ; CHECK: %variable = divergent{{$}}
  %variable.s = lshr i32 %t, %n
  %variable = and i32 %variable.s, -32
  ret void
}

; After a loop that lanes leave in different iterations nothing is left to agree on.
; CHECK-LABEL: affine divergence for 'temporal'
define ptx_kernel void @temporal(i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ %t, %entry ], [ %next, %loop ]
  ; CHECK: %s = divergent{{$}}
  %s = lshr i32 %i, 2
  ; CHECK: %inside = uniform warp{{$}}
  %inside = and i32 %s, -8
  %next = add i32 %i, 256
  %c = icmp slt i32 %t, 7
  %r = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %d = icmp ugt i32 %next, %n
  %e = or i1 %c, %d
  br i1 %e, label %out, label %loop
out:
  ; CHECK: %outside = divergent{{$}}
  %outside = and i32 %s, -8
  ret void
}

; What the mask depends on turns divergent only after it was first seen.
; CHECK-LABEL: affine divergence for 'later'
define ptx_kernel void @later(ptr %p) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ %t, %entry ], [ %l, %loop ]
  %s = lshr i32 %i, 2
  ; CHECK: %m = divergent{{$}}
  %m = and i32 %s, -8
  %g = getelementptr i32, ptr %p, i32 %i
  %l = load i32, ptr %g
  %c = icmp eq i32 %m, 0
  br i1 %c, label %out, label %loop
out:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
