; Trees of branches that stay: each kernel differs in one point from one that is converted.
; RUN: %opt -S -passes='fuse-branches' -verify-each %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; Not in a loop: nothing behind it waits for it.
define ptx_kernel void @no_loop(ptr %data, ptr %out, i32 %n, i32 %same.for.all) {
; CHECK-LABEL: define ptx_kernel void @no_loop(
; CHECK: br i1 %first, label %one, label %other
; CHECK: br i1 %second, label %two, label %three
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ]
  %v = phi i32 [ 0, %entry ]
  %place = add i32 %t, %i
  %pc = getelementptr i32, ptr %data, i32 %place
  %c = load i32, ptr %pc
  %first = icmp slt i32 %c, 0
  br i1 %first, label %one, label %other

one:
  %v1 = add i32 %v, 1
  br label %latch

other:
  %second = icmp sgt i32 %c, 10
  br i1 %second, label %two, label %three

two:
  %v2 = sub i32 %v, 1
  br label %latch

three:
  %v3 = xor i32 %v, %c
  br label %latch

latch:
  %v.next = phi i32 [ %v1, %one ], [ %v2, %two ], [ %v3, %three ]
  %unused = add i32 %i, 7
  %i.next = add i32 %i, 1
  %more = icmp slt i32 %i.next, 0
  br label %end

end:
  %po = getelementptr i32, ptr %out, i32 %t
  store i32 %v.next, ptr %po
  ret void
}

; All lanes take the same way.
define ptx_kernel void @uniform(ptr %data, ptr %out, i32 %n, i32 %same.for.all) {
; CHECK-LABEL: define ptx_kernel void @uniform(
; CHECK: br i1 %first, label %one, label %other
; CHECK: br i1 %second, label %two, label %three
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %v = phi i32 [ 0, %entry ], [ %v.next, %latch ]
  %place = add i32 %t, %i
  %pc = getelementptr i32, ptr %data, i32 %place
  %c = load i32, ptr %pc
  %first = icmp slt i32 %same.for.all, %i
  br i1 %first, label %one, label %other

one:
  %v1 = add i32 %v, 1
  br label %latch

other:
  %second = icmp sgt i32 %same.for.all, 10
  br i1 %second, label %two, label %three

two:
  %v2 = sub i32 %v, 1
  br label %latch

three:
  %v3 = xor i32 %v, %c
  br label %latch

latch:
  %v.next = phi i32 [ %v1, %one ], [ %v2, %two ], [ %v3, %three ]
  %unused = add i32 %i, 7
  %i.next = add i32 %i, 1
  %more = icmp slt i32 %i.next, %n
  br i1 %more, label %loop, label %end

end:
  %po = getelementptr i32, ptr %out, i32 %t
  store i32 %v.next, ptr %po
  ret void
}

; One warp of a block splits.
define ptx_kernel void @few_lanes(ptr %data, ptr %out, i32 %n, i32 %same.for.all) {
; CHECK-LABEL: define ptx_kernel void @few_lanes(
; CHECK: br i1 %first, label %one, label %other
; CHECK: br i1 %second, label %two, label %three
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %v = phi i32 [ 0, %entry ], [ %v.next, %latch ]
  %place = add i32 %t, %i
  %pc = getelementptr i32, ptr %data, i32 %place
  %c = load i32, ptr %pc
  %first = icmp slt i32 %t, %n
  br i1 %first, label %one, label %other

one:
  %v1 = add i32 %v, 1
  br label %latch

other:
  %second = icmp sgt i32 %t, 10
  br i1 %second, label %two, label %three

two:
  %v2 = sub i32 %v, 1
  br label %latch

three:
  %v3 = xor i32 %v, %c
  br label %latch

latch:
  %v.next = phi i32 [ %v1, %one ], [ %v2, %two ], [ %v3, %three ]
  %unused = add i32 %i, 7
  %i.next = add i32 %i, 1
  %more = icmp slt i32 %i.next, %n
  br i1 %more, label %loop, label %end

end:
  %po = getelementptr i32, ptr %out, i32 %t
  store i32 %v.next, ptr %po
  ret void
}

; A side stores.
define ptx_kernel void @memory(ptr %data, ptr %out, i32 %n, i32 %same.for.all) {
; CHECK-LABEL: define ptx_kernel void @memory(
; CHECK: br i1 %first, label %one, label %other
; CHECK: br i1 %second, label %two, label %three
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %v = phi i32 [ 0, %entry ], [ %v.next, %latch ]
  %place = add i32 %t, %i
  %pc = getelementptr i32, ptr %data, i32 %place
  %c = load i32, ptr %pc
  %first = icmp slt i32 %c, 0
  br i1 %first, label %one, label %other

one:
  %v1 = add i32 %v, 1
  store i32 %v1, ptr %pc
  br label %latch

other:
  %second = icmp sgt i32 %c, 10
  br i1 %second, label %two, label %three

two:
  %v2 = sub i32 %v, 1
  br label %latch

three:
  %v3 = xor i32 %v, %c
  br label %latch

latch:
  %v.next = phi i32 [ %v1, %one ], [ %v2, %two ], [ %v3, %three ]
  %unused = add i32 %i, 7
  %i.next = add i32 %i, 1
  %more = icmp slt i32 %i.next, %n
  br i1 %more, label %loop, label %end

end:
  %po = getelementptr i32, ptr %out, i32 %t
  store i32 %v.next, ptr %po
  ret void
}

; A side may divide by zero.
define ptx_kernel void @division(ptr %data, ptr %out, i32 %n, i32 %same.for.all) {
; CHECK-LABEL: define ptx_kernel void @division(
; CHECK: br i1 %first, label %one, label %other
; CHECK: br i1 %second, label %two, label %three
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %v = phi i32 [ 0, %entry ], [ %v.next, %latch ]
  %place = add i32 %t, %i
  %pc = getelementptr i32, ptr %data, i32 %place
  %c = load i32, ptr %pc
  %first = icmp slt i32 %c, 0
  br i1 %first, label %one, label %other

one:
  %v1 = udiv i32 %v, %c
  br label %latch

other:
  %second = icmp sgt i32 %c, 10
  br i1 %second, label %two, label %three

two:
  %v2 = sub i32 %v, 1
  br label %latch

three:
  %v3 = xor i32 %v, %c
  br label %latch

latch:
  %v.next = phi i32 [ %v1, %one ], [ %v2, %two ], [ %v3, %three ]
  %unused = add i32 %i, 7
  %i.next = add i32 %i, 1
  %more = icmp slt i32 %i.next, %n
  br i1 %more, label %loop, label %end

end:
  %po = getelementptr i32, ptr %out, i32 %t
  store i32 %v.next, ptr %po
  ret void
}

; The sides cost more than the branches.
define ptx_kernel void @dear(ptr %data, ptr %out, i32 %n, i32 %same.for.all) {
; CHECK-LABEL: define ptx_kernel void @dear(
; CHECK: br i1 %first, label %one, label %other
; CHECK: br i1 %second, label %two, label %three
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %v = phi i32 [ 0, %entry ], [ %v.next, %latch ]
  %place = add i32 %t, %i
  %pc = getelementptr i32, ptr %data, i32 %place
  %c = load i32, ptr %pc
  %first = icmp slt i32 %c, 0
  br i1 %first, label %one, label %other

one:
  %d1 = sdiv i32 %v, 7
  %d2 = srem i32 %c, 11
  %v1 = add i32 %d1, %d2
  br label %latch

other:
  %second = icmp sgt i32 %c, 10
  br i1 %second, label %two, label %three

two:
  %e1 = sdiv i32 %c, 13
  %e2 = srem i32 %v, 17
  %v2 = mul i32 %e1, %e2
  br label %latch

three:
  %v3 = xor i32 %v, %c
  br label %latch

latch:
  %v.next = phi i32 [ %v1, %one ], [ %v2, %two ], [ %v3, %three ]
  %unused = add i32 %i, 7
  %i.next = add i32 %i, 1
  %more = icmp slt i32 %i.next, %n
  br i1 %more, label %loop, label %end

end:
  %po = getelementptr i32, ptr %out, i32 %t
  store i32 %v.next, ptr %po
  ret void
}

; A side leaves the loop.
define ptx_kernel void @leaves(ptr %data, ptr %out, i32 %n, i32 %same.for.all) {
; CHECK-LABEL: define ptx_kernel void @leaves(
; CHECK: br i1 %first, label %one, label %other
; CHECK: br i1 %second, label %two, label %three
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %v = phi i32 [ 0, %entry ], [ %v.next, %latch ]
  %place = add i32 %t, %i
  %pc = getelementptr i32, ptr %data, i32 %place
  %c = load i32, ptr %pc
  %first = icmp slt i32 %c, 0
  br i1 %first, label %one, label %other

one:
  %v1 = add i32 %v, 1
  br label %latch

other:
  %second = icmp sgt i32 %c, 10
  br i1 %second, label %two, label %three

two:
  %v2 = sub i32 %v, 1
  br label %latch

three:
  br label %end

latch:
  %v.next = phi i32 [ %v1, %one ], [ %v2, %two ]
  %unused = add i32 %i, 7
  %i.next = add i32 %i, 1
  %more = icmp slt i32 %i.next, %n
  br i1 %more, label %loop, label %end

end:
  %po = getelementptr i32, ptr %out, i32 %t
  store i32 %i, ptr %po
  ret void
}

; A product and its sum would come into one block.
define ptx_kernel void @contracted(ptr %data, ptr %out, i32 %n, i32 %same.for.all) {
; CHECK-LABEL: define ptx_kernel void @contracted(
; CHECK: br i1 %first, label %one, label %other
; CHECK: br i1 %second, label %two, label %three
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %v = phi float [ 0.0, %entry ], [ %v.next, %latch ]
  %place = add i32 %t, %i
  %pc = getelementptr i32, ptr %data, i32 %place
  %c = load i32, ptr %pc
  %f = bitcast i32 %c to float
  %product = fmul contract float %f, %f
  %first = icmp slt i32 %c, 0
  br i1 %first, label %one, label %other

one:
  %v1 = fadd contract float %v, 1.0
  br label %latch

other:
  %second = icmp sgt i32 %c, 10
  br i1 %second, label %two, label %three

two:
  %v2 = fsub contract float %v, 1.0
  br label %latch

three:
  %v3 = fadd contract float %v, %product
  br label %latch

latch:
  %v.next = phi float [ %v1, %one ], [ %v2, %two ], [ %v3, %three ]
  %unused = add i32 %i, 7
  %i.next = add i32 %i, 1
  %more = icmp slt i32 %i.next, %n
  br i1 %more, label %loop, label %end

end:
  %po = getelementptr float, ptr %out, i32 %t
  store float %v.next, ptr %po
  ret void
}

; The block behind them uses the product.
define ptx_kernel void @behind(ptr %data, ptr %out, i32 %n, i32 %same.for.all) {
; CHECK-LABEL: define ptx_kernel void @behind(
; CHECK: br i1 %first, label %one, label %other
; CHECK: br i1 %second, label %two, label %three
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %v = phi float [ 0.0, %entry ], [ %v.next, %latch ]
  %place = add i32 %t, %i
  %pc = getelementptr i32, ptr %data, i32 %place
  %c = load i32, ptr %pc
  %f = bitcast i32 %c to float
  %product = fmul contract float %f, %f
  %first = icmp slt i32 %c, 0
  br i1 %first, label %one, label %other

one:
  %v1 = fadd contract float %v, 1.0
  br label %latch

other:
  %second = icmp sgt i32 %c, 10
  br i1 %second, label %two, label %three

two:
  %v2 = fsub contract float %v, 1.0
  br label %latch

three:
  %v3 = fadd contract float %v, 3.0
  br label %latch

latch:
  %v.next = phi float [ %v1, %one ], [ %v2, %two ], [ %v3, %three ]
  %sum = fadd contract float %v.next, %product
  store float %sum, ptr %pc
  %i.next = add i32 %i, 1
  %more = icmp slt i32 %i.next, %n
  br i1 %more, label %loop, label %end

end:
  %po = getelementptr float, ptr %out, i32 %t
  store float %v.next, ptr %po
  ret void
}

; Every lane would compute a product that a sum behind them may be computed from, too.
define ptx_kernel void @product(ptr %data, ptr %out, i32 %n, i32 %same.for.all) {
; CHECK-LABEL: define ptx_kernel void @product(
; CHECK: br i1 %first, label %one, label %other
; CHECK: br i1 %second, label %two, label %three
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %v = phi float [ 0.0, %entry ], [ %v.next, %latch ]
  %place = add i32 %t, %i
  %pc = getelementptr i32, ptr %data, i32 %place
  %c = load i32, ptr %pc
  %f = bitcast i32 %c to float
  %first = icmp slt i32 %c, 0
  br i1 %first, label %one, label %other

one:
  %v1 = fadd contract float %v, 1.0
  br label %latch

other:
  %second = icmp sgt i32 %c, 10
  br i1 %second, label %two, label %three

two:
  %v2 = fsub contract float %v, 1.0
  br label %latch

three:
  %v3 = fmul contract float %v, %f
  br label %latch

latch:
  %v.next = phi float [ %v1, %one ], [ %v2, %two ], [ %v3, %three ]
  %unused = add i32 %i, 7
  %i.next = add i32 %i, 1
  %more = icmp slt i32 %i.next, %n
  br i1 %more, label %loop, label %end

end:
  %po = getelementptr float, ptr %out, i32 %t
  store float %v.next, ptr %po
  ret void
}

; The product of a sum is one of the values chosen between.
define ptx_kernel void @chosen(ptr %data, ptr %out, i32 %n, i32 %same.for.all) {
; CHECK-LABEL: define ptx_kernel void @chosen(
; CHECK: br i1 %first, label %one, label %other
; CHECK: br i1 %second, label %two, label %three
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %v = phi float [ 0.0, %entry ], [ %v.next, %latch ]
  %place = add i32 %t, %i
  %pc = getelementptr i32, ptr %data, i32 %place
  %c = load i32, ptr %pc
  %f = bitcast i32 %c to float
  %product = fmul contract float %f, %f
  %near = fadd contract float %product, 1.0
  store float %near, ptr %pc
  %first = icmp slt i32 %c, 0
  br i1 %first, label %one, label %other

one:
  %v1 = fadd contract float %v, 1.0
  br label %latch

other:
  %second = icmp sgt i32 %c, 10
  br i1 %second, label %two, label %three

two:
  %v2 = fsub contract float %v, 1.0
  br label %latch

three:
  %v3 = fadd contract float %v, 3.0
  br label %latch

latch:
  %v.next = phi float [ %product, %one ], [ %v2, %two ], [ %v3, %three ]
  %unused = add i32 %i, 7
  %i.next = add i32 %i, 1
  %more = icmp slt i32 %i.next, %n
  br i1 %more, label %loop, label %end

end:
  %po = getelementptr float, ptr %out, i32 %t
  store float %v.next, ptr %po
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
