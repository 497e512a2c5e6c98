; Where an equality leaves one lane of a warp, no branch splits it, and every value is the same for all lanes that compute it.
;
; RUN: %opt -passes='print<affine-divergence<block=256>>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -passes='print<affine-divergence<block=16x16>>' -disable-output %s 2>&1 | %FileCheck %s --check-prefix=SQUARE
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s --check-prefix=UNKNOWN

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'column'
; SQUARE-LABEL: affine divergence for 'column'
; UNKNOWN-LABEL: affine divergence for 'column'
define ptx_kernel void @column(ptr %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %t, %n
  ; CHECK: br %first: divergent
  br i1 %first, label %one, label %done
one:
  ; CHECK: %old = uniform warp
  ; SQUARE: %old = divergent
  ; UNKNOWN: %old = divergent
  %old = atomicrmw add ptr %p, i32 1 monotonic
  %c = icmp sgt i32 %old, 3
  ; CHECK: br %c: uniform
  ; SQUARE: br %c: divergent
  ; UNKNOWN: br %c: divergent
  ; UNKNOWN-NEXT: uniform if blockDim.x is a multiple of 32, or if the block has one dimension{{$}}
  br i1 %c, label %loop, label %done
loop:
  %i = phi i32 [ 0, %one ], [ %next, %loop ]
  %at = getelementptr i32, ptr %p, i32 %i
  %v = load volatile i32, ptr %at
  %next = add i32 %i, %v
  %more = icmp slt i32 %next, %old
  ; CHECK: br %more: uniform
  br i1 %more, label %loop, label %done
done:
  ; what comes from there and from elsewhere is not
  ; CHECK: %joined = divergent
  %joined = phi i32 [ 0, %entry ], [ %old, %one ], [ %next, %loop ]
  ret void
}

; The lanes come to the block behind the loop from different iterations.
; CHECK-LABEL: affine divergence for 'in_turn'
define ptx_kernel void @in_turn(ptr %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %head
head:
  %k = phi i32 [ 0, %entry ], [ %next, %latch ]
  %mine = icmp eq i32 %t, %k
  br i1 %mine, label %turn, label %latch
turn:
  ; CHECK: %v = uniform warp
  %v = load volatile i32, ptr %p
  %stop = icmp eq i32 %v, 0
  ; CHECK: br %stop: uniform
  br i1 %stop, label %behind, label %latch
behind:
  ; CHECK: %w = divergent
  %w = load volatile i32, ptr %p
  %d = icmp eq i32 %w, %v
  ; CHECK: br %d: divergent
  br i1 %d, label %done, label %done2
latch:
  %next = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %head, label %done
done:
  ret void
done2:
  ret void
}

; CHECK-LABEL: affine divergence for 'leaves'
define ptx_kernel void @leaves(ptr %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %head
head:
  %k = phi i32 [ 0, %entry ], [ %next, %latch ]
  %mine = icmp eq i32 %t, %k
  br i1 %mine, label %found, label %latch
found:
  ; CHECK: %v = divergent
  %v = load volatile i32, ptr %p
  ret void
latch:
  %next = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %head, label %done
done:
  ret void
}

; Conditions of several parts. Two indices leave one thread of a block without depth.
; CHECK-LABEL: affine divergence for 'parts'
; SQUARE-LABEL: affine divergence for 'parts'
define ptx_kernel void @parts(ptr %p, i1 %u) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %a = icmp ne i32 %t, 3
  %some = load volatile i1, ptr %p
  %skip = select i1 %a, i1 true, i1 %some
  br i1 %skip, label %second, label %one
one:
  ; CHECK: %v1 = uniform warp
  ; SQUARE: %v1 = divergent
  %v1 = load volatile i32, ptr %p
  %b = icmp eq i32 %y, 5
  br i1 %b, label %both, label %second
both:
  ; SQUARE: %v2 = uniform warp
  %v2 = load volatile i32, ptr %p
  br label %second
second:
  %bits = or i32 %t, %y
  %zero = icmp eq i32 %bits, 0
  br i1 %zero, label %origin, label %done
origin:
  ; CHECK: %v3 = uniform warp
  ; SQUARE: %v3 = uniform warp
  %v3 = load volatile i32, ptr %p
  br label %done
done:
  ret void
}

; Not one lane: an order, an inequality, a factor that makes numbers equal, a number on which lanes do not agree, a second way in.
; CHECK-LABEL: affine divergence for 'others'
define ptx_kernel void @others(ptr %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %less = icmp ult i32 %t, 2
  br i1 %less, label %a, label %b
a:
  ; CHECK: %va = divergent
  %va = load volatile i32, ptr %p
  br label %b
b:
  %scaled = shl i32 %t, 28
  %c1 = icmp eq i32 %scaled, 0
  br i1 %c1, label %c, label %d
c:
  ; CHECK: %vc = divergent
  %vc = load volatile i32, ptr %p
  br label %d
d:
  %any = load volatile i32, ptr %p
  %e1 = icmp eq i32 %t, %any
  br i1 %e1, label %e, label %f
e:
  ; CHECK: %ve = divergent
  %ve = load volatile i32, ptr %p
  br label %f
f:
  %g1 = icmp eq i32 %t, 9
  br i1 %g1, label %g, label %h
h:
  ; CHECK: %vh = divergent
  %vh = load volatile i32, ptr %p
  %h1 = icmp ult i32 %t, 12
  br i1 %h1, label %g, label %done
g:
  ; CHECK: %vg = divergent
  %vg = load volatile i32, ptr %p
  br label %done
done:
  ret void
}

; CHECK-LABEL: affine divergence for 'lane'
; UNKNOWN-LABEL: affine divergence for 'lane'
define ptx_kernel void @lane(ptr %p) {
entry:
  %l = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %last = icmp eq i32 %l, 31
  br i1 %last, label %one, label %done
one:
  ; UNKNOWN: %v = uniform warp
  %v = load volatile i32, ptr %p
  br label %done
done:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
