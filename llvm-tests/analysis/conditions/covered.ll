; A bounds check is uniform in a launch whose threads all pass it, or all fail it. The limit must be known to the host.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -passes='print<affine-divergence<block=64x2>>' -disable-output %s 2>&1 | %FileCheck %s --check-prefix=SHAPE

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
; SHAPE-LABEL: affine divergence for 'k'
define ptx_kernel void @k(ptr %p, i32 %n, i64 %m) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %s = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %start = mul i32 %b, %s
  %i = add i32 %start, %t
  ; CHECK: br %inside: divergent{{$}}
  ; CHECK-NEXT: uniform if gridDim.x * blockDim.x <= %n,
  ; SHAPE: br %inside: divergent{{$}}
  ; SHAPE-NEXT: uniform if gridDim.x * 64 <= %n,
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %a, label %done
a:
  ; CHECK: br %beyond: divergent{{$}}
  ; CHECK-NEXT: uniform if blockDim.x <= 18{{$}}
  %beyond = icmp ugt i32 %t, 17
  br i1 %beyond, label %b2, label %done
b2:
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %sy = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %starty = mul i32 %sy, %by
  %j = add i32 %starty, %ty
  %next = add i32 %j, 2
  %wide = zext i32 %next to i64
  %below = icmp ult i64 %wide, %m
  %both = and i1 %inside, %below
  ; CHECK: br %both: divergent{{$}}
  ; CHECK-NEXT: uniform if gridDim.x * blockDim.x <= %n and gridDim.y * blockDim.y + 2 <= %m
  br i1 %both, label %c, label %done
c:
  %outside = icmp sge i32 %i, %n
  %any = select i1 %outside, i1 true, i1 %below
  ; CHECK: br %any: divergent{{$}}
  ; CHECK-NEXT: uniform if gridDim.x * blockDim.x <= %n and gridDim.y * blockDim.y + 2 <= %m
  br i1 %any, label %d, label %done
d:
  %v = load i32, ptr %p
  %loaded = icmp slt i32 %i, %v
  ; CHECK: br %loaded: divergent{{$}}
  ; CHECK-NOT: uniform if
  br i1 %loaded, label %e, label %done
e:
  %before = add i32 %i, -1
  %wraps = icmp ult i32 %before, %n
  ; CHECK: br %wraps: divergent{{$}}
  ; CHECK-NOT: uniform if
  br i1 %wraps, label %f, label %done
f:
  %signed = sext i32 %i to i64
  %turns = icmp ult i64 %signed, %m
  ; CHECK: br %turns: divergent{{$}}
  ; CHECK-NEXT: uniform if blockDim.x and %m are multiples of 32{{$}}
  br i1 %turns, label %g, label %done
g:
  %first = icmp eq i32 %i, %n
  ; CHECK: br %first: divergent{{$}}
  ; CHECK-NOT: uniform if
  br i1 %first, label %h, label %done
h:
  %crossed = add i32 %start, %ty
  %odd = icmp slt i32 %crossed, %n
  ; CHECK: br %odd: divergent{{$}}
  ; CHECK-NEXT: uniform if blockDim.x is a multiple of 32, or if the block has one dimension{{$}}
  br i1 %odd, label %l, label %done
l:
  br label %done
done:
  ret void
}

; Not a kernel: there is no launch whose property it could be.
; CHECK-LABEL: affine divergence for 'f'
define void @f(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: br %c: divergent{{$}}
  ; CHECK-NOT: uniform if
  %c = icmp slt i32 %t, %n
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
