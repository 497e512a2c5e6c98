; Trees of branches that stay: each kernel differs in one point from one that is converted.
; RUN: %opt -S -passes='fuse-branches' -verify-each %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; Not in a loop, and too long: nothing behind it waits for it.
define ptx_kernel void @no_loop(ptr %data, ptr %out, i32 %n, i32 %same.for.all) {
; CHECK-LABEL: define ptx_kernel void @no_loop(
; CHECK: br i1 %first, label %one, label %other
; CHECK: br i1 %second, label %two, label %far
; CHECK: br i1 %third, label %three, label %rest
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
  br i1 %second, label %two, label %far

two:
  %w2 = mul i32 %c, 77
  %x2 = xor i32 %w2, %n
  %y2 = mul i32 %x2, %c
  %v2 = sub i32 %y2, 1
  br label %latch

far:
  %third = icmp eq i32 %c, 5
  br i1 %third, label %three, label %rest

rest:
  %fourth = icmp eq i32 %c, 6
  br i1 %fourth, label %four, label %five

five:
  %w5 = mul i32 %c, 55
  %x5 = mul i32 %w5, %n
  %y5 = mul i32 %x5, %c
  %v5 = add i32 %y5, %t
  br label %latch

four:
  %w4 = mul i32 %c, 99
  %x4 = mul i32 %w4, %n
  %y4 = mul i32 %x4, %c
  %v4 = add i32 %y4, %t
  br label %latch

three:
  %v3 = xor i32 %v, %c
  br label %latch

latch:
  %v.next = phi i32 [ %v1, %one ], [ %v2, %two ], [ %v3, %three ], [ %v4, %four ], [ %v5, %five ]
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

; A way that writes.
define ptx_kernel void @stores(ptr %data, ptr %table, ptr %out, i32 %n) {
; CHECK-LABEL: define ptx_kernel void @stores(
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
  %pt = getelementptr i32, ptr %table, i32 %c
  %first = icmp slt i32 %c, 0
  br i1 %first, label %one, label %other

one:
  store i32 %v, ptr %pt
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
  %i.next = add i32 %i, 1
  %more = icmp slt i32 %i.next, %n
  br i1 %more, label %loop, label %end

end:
  %po = getelementptr i32, ptr %out, i32 %t
  store i32 %v.next, ptr %po
  ret void
}

; A way with a volatile load.
define ptx_kernel void @volatile_load(ptr %data, ptr %table, ptr %out, i32 %n) {
; CHECK-LABEL: define ptx_kernel void @volatile_load(
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
  %pt = getelementptr i32, ptr %table, i32 %c
  %first = icmp slt i32 %c, 0
  br i1 %first, label %one, label %other

one:
  %v1 = load volatile i32, ptr %pt
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
  %i.next = add i32 %i, 1
  %more = icmp slt i32 %i.next, %n
  br i1 %more, label %loop, label %end

end:
  %po = getelementptr i32, ptr %out, i32 %t
  store i32 %v.next, ptr %po
  ret void
}

; More between two loads of a way than ptxas predicates.
define ptx_kernel void @long_guard(ptr %data, ptr %table, ptr %out, i32 %n) {
; CHECK-LABEL: define ptx_kernel void @long_guard(
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
  %pt = getelementptr i32, ptr %table, i32 %c
  %first = icmp slt i32 %c, 0
  br i1 %first, label %one, label %other

one:
  %a0 = load i32, ptr %pt
  %a1 = mul i32 %a0, %c
  %a2 = xor i32 %a1, %t
  %a3 = mul i32 %a2, %c
  %a4 = xor i32 %a3, %t
  %a5 = mul i32 %a4, %c
  %a6 = xor i32 %a5, %t
  %a7 = mul i32 %a6, %c
  %a8 = xor i32 %a7, %t
  %a9 = mul i32 %a8, %c
  %a10 = xor i32 %a9, %t
  %a11 = mul i32 %a10, %c
  %a12 = xor i32 %a11, %t
  %a13 = mul i32 %a12, %c
  %a14 = xor i32 %a13, %t
  %a15 = mul i32 %a14, %c
  %a16 = xor i32 %a15, %t
  %a17 = mul i32 %a16, %c
  %pa = getelementptr i32, ptr %table, i32 %a17
  %v1 = load i32, ptr %pa
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
  %i.next = add i32 %i, 1
  %more = icmp slt i32 %i.next, %n
  br i1 %more, label %loop, label %end

end:
  %po = getelementptr i32, ptr %out, i32 %t
  store i32 %v.next, ptr %po
  ret void
}

; What one way alone uses is computed in front, and LLVM would move it there: converted, all lanes would execute it.
define ptx_kernel void @sinks(ptr %data, ptr %out, i32 %n, i32 %same.for.all) {
; CHECK-LABEL: define ptx_kernel void @sinks(
; CHECK: br i1 %none, label %join, label %some
; CHECK: br i1 %odd, label %more, label %join
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pc = getelementptr i32, ptr %data, i32 %t
  %c = load i32, ptr %pc
  %po = getelementptr i32, ptr %out, i32 %t
  %s1 = xor i32 %c, 37
  %s1m = mul i32 %s1, %c
  %s2 = xor i32 %s1m, 74
  %s2m = mul i32 %s2, %c
  %s3 = xor i32 %s2m, 111
  %s3m = mul i32 %s3, %c
  %s4 = xor i32 %s3m, 148
  %s4m = mul i32 %s4, %c
  %s5 = xor i32 %s4m, 185
  %s5m = mul i32 %s5, %c
  %s6 = xor i32 %s5m, 222
  %s6m = mul i32 %s6, %c
  %s7 = xor i32 %s6m, 259
  %s7m = mul i32 %s7, %c
  %s8 = xor i32 %s7m, 296
  %s8m = mul i32 %s8, %c
  %s9 = xor i32 %s8m, 333
  %s9m = mul i32 %s9, %c
  %s10 = xor i32 %s9m, 370
  %s10m = mul i32 %s10, %c
  %s11 = xor i32 %s10m, 407
  %s11m = mul i32 %s11, %c
  %s12 = xor i32 %s11m, 444
  %s12m = mul i32 %s12, %c
  %s13 = xor i32 %s12m, 481
  %s13m = mul i32 %s13, %c
  %s14 = xor i32 %s13m, 518
  %s14m = mul i32 %s14, %c
  %s15 = xor i32 %s14m, 555
  %s15m = mul i32 %s15, %c
  %s16 = xor i32 %s15m, 592
  %s16m = mul i32 %s16, %c
  %s17 = xor i32 %s16m, 629
  %s17m = mul i32 %s17, %c
  %s18 = xor i32 %s17m, 666
  %s18m = mul i32 %s18, %c
  %s19 = xor i32 %s18m, 703
  %s19m = mul i32 %s19, %c
  %s20 = xor i32 %s19m, 740
  %s20m = mul i32 %s20, %c
  %s21 = xor i32 %s20m, 777
  %s21m = mul i32 %s21, %c
  %s22 = xor i32 %s21m, 814
  %s22m = mul i32 %s22, %c
  %s23 = xor i32 %s22m, 851
  %s23m = mul i32 %s23, %c
  %s24 = xor i32 %s23m, 888
  %s24m = mul i32 %s24, %c
  %none = icmp eq i32 %c, 0
  br i1 %none, label %join, label %some

some:
  %odd = icmp eq i32 %c, 7
  br i1 %odd, label %more, label %join

more:
  %plus = add i32 %c, 2
  br label %join

join:
  %v = phi i32 [ 1, %entry ], [ %s24m, %some ], [ %plus, %more ]
  store i32 %v, ptr %po
  ret void
}

; The same with little in front.
define ptx_kernel void @sinks_little(ptr %data, ptr %out, i32 %n, i32 %same.for.all) {
; CHECK-LABEL: define ptx_kernel void @sinks_little(
; CHECK-NOT: br i1
; CHECK: ret void
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pc = getelementptr i32, ptr %data, i32 %t
  %c = load i32, ptr %pc
  %po = getelementptr i32, ptr %out, i32 %t
  %s1 = xor i32 %c, 37
  %none = icmp eq i32 %c, 0
  br i1 %none, label %join, label %some

some:
  %odd = icmp eq i32 %c, 7
  br i1 %odd, label %more, label %join

more:
  %plus = add i32 %c, 2
  br label %join

join:
  %v = phi i32 [ 1, %entry ], [ %s1, %some ], [ %plus, %more ]
  store i32 %v, ptr %po
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; Two ways that load.
define ptx_kernel void @two_loads(ptr %data, ptr %table, ptr %out, i32 %n) {
; CHECK-LABEL: define ptx_kernel void @two_loads(
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
  %pt = getelementptr i32, ptr %table, i32 %c
  %first = icmp slt i32 %c, 0
  br i1 %first, label %one, label %other

one:
  %v1 = load i32, ptr %pt
  br label %latch

other:
  %second = icmp sgt i32 %c, 10
  br i1 %second, label %two, label %three

two:
  %p2 = getelementptr i32, ptr %table, i32 %n
  %v2 = load i32, ptr %p2
  br label %latch

three:
  %v3 = xor i32 %v, %c
  br label %latch

latch:
  %v.next = phi i32 [ %v1, %one ], [ %v2, %two ], [ %v3, %three ]
  %i.next = add i32 %i, 1
  %more = icmp slt i32 %i.next, %n
  br i1 %more, label %loop, label %end

end:
  %po = getelementptr i32, ptr %out, i32 %t
  store i32 %v.next, ptr %po
  ret void
}

; Two ways, and all iterations ask for the same bit.
define ptx_kernel void @a_flag(ptr %data, ptr %out, i32 %modulus) {
; CHECK-LABEL: define ptx_kernel void @a_flag(
; CHECK: br i1 %is.odd, label %odd, label %latch
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pn = getelementptr i32, ptr %data, i32 %t
  %number = load i32, ptr %pn
  br label %loop

loop:
  %left = phi i32 [ %number, %entry ], [ %left.next, %latch ]
  %power = phi i32 [ 1, %entry ], [ %power.next, %latch ]
  %square = phi i32 [ 3, %entry ], [ %square.next, %latch ]
  %bit = and i32 %number, 1
  %is.odd = icmp ne i32 %bit, 0
  br i1 %is.odd, label %odd, label %latch

odd:
  %a1 = mul i32 %power, %square
  %a2 = xor i32 %a1, %modulus
  %a3 = mul i32 %a2, %square
  %a4 = xor i32 %a3, %modulus
  %a5 = mul i32 %a4, %square
  %a6 = xor i32 %a5, %modulus
  %a7 = mul i32 %a6, %square
  %a8 = xor i32 %a7, %modulus
  %a9 = mul i32 %a8, %square
  %a10 = xor i32 %a9, %modulus
  %a11 = mul i32 %a10, %square
  br label %latch

latch:
  %power.next = phi i32 [ %power, %loop ], [ %a11, %odd ]
  %square.next = mul i32 %square, %square
  %left.next = lshr i32 %left, 1
  %more = icmp ne i32 %left.next, 0
  br i1 %more, label %loop, label %end

end:
  %po = getelementptr i32, ptr %out, i32 %t
  store i32 %power.next, ptr %po
  ret void
}

; The next iteration cannot overlap with the load: lanes wait for each other first.
define ptx_kernel void @waits(ptr %list, ptr %weights, ptr %out, i32 %n) {
; CHECK-LABEL: define ptx_kernel void @waits(
; CHECK: br i1 %same, label %both, label %differ
; CHECK: br i1 %less, label %left, label %right
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %i = phi i32 [ %t, %entry ], [ %i.next, %latch ]
  %j = phi i32 [ 0, %entry ], [ %j.next, %latch ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %latch ]
  %px = getelementptr i32, ptr %list, i32 %i
  %x = load i32, ptr %px
  %py = getelementptr i32, ptr %list, i32 %j
  %y = load i32, ptr %py
  %same = icmp eq i32 %x, %y
  br i1 %same, label %both, label %differ

both:
  %pw = getelementptr float, ptr %weights, i32 %x
  %w = load float, ptr %pw
  %sum.w = fadd float %sum, %w
  %i0 = add nsw i32 %i, 1
  %j0 = add nsw i32 %j, 1
  br label %latch

differ:
  %less = icmp slt i32 %x, %y
  br i1 %less, label %left, label %right

left:
  %i1 = add nsw i32 %i, 1
  br label %latch

right:
  %j1 = add nsw i32 %j, 1
  br label %latch

latch:
  %i.next = phi i32 [ %i0, %both ], [ %i1, %left ], [ %i, %right ]
  %j.next = phi i32 [ %j0, %both ], [ %j, %left ], [ %j1, %right ]
  %sum.next = phi float [ %sum.w, %both ], [ %sum, %left ], [ %sum, %right ]
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %more = icmp slt i32 %j.next, %n
  br i1 %more, label %loop, label %end

end:
  %po = getelementptr float, ptr %out, i32 %t
  store float %sum.next, ptr %po
  ret void
}

; More ways than in any tree that gained.
define ptx_kernel void @ten_ways(ptr %data, ptr %out, i32 %n, i32 %same.for.all) {
; CHECK-LABEL: define ptx_kernel void @ten_ways(
; CHECK: br i1 %is0, label %latch, label %ask1
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %v = phi i32 [ 0, %entry ], [ %v.next, %latch ]
  %place = add i32 %t, %i
  %pc = getelementptr i32, ptr %data, i32 %place
  %c = load i32, ptr %pc
  br label %ask0

ask0:
  %is0 = icmp eq i32 %c, 0
  br i1 %is0, label %latch, label %ask1

ask1:
  %is1 = icmp eq i32 %c, 1
  br i1 %is1, label %latch, label %ask2

ask2:
  %is2 = icmp eq i32 %c, 2
  br i1 %is2, label %latch, label %ask3

ask3:
  %is3 = icmp eq i32 %c, 3
  br i1 %is3, label %latch, label %ask4

ask4:
  %is4 = icmp eq i32 %c, 4
  br i1 %is4, label %latch, label %ask5

ask5:
  %is5 = icmp eq i32 %c, 5
  br i1 %is5, label %latch, label %ask6

ask6:
  %is6 = icmp eq i32 %c, 6
  br i1 %is6, label %latch, label %ask7

ask7:
  %is7 = icmp eq i32 %c, 7
  br i1 %is7, label %latch, label %ask8

ask8:
  %is8 = icmp eq i32 %c, 8
  br i1 %is8, label %latch, label %last

last:
  br label %latch

latch:
  %step = phi i32 [ 1, %ask0 ], [ 8, %ask1 ], [ 15, %ask2 ], [ 22, %ask3 ], [ 29, %ask4 ], [ 36, %ask5 ], [ 43, %ask6 ], [ 50, %ask7 ], [ 57, %ask8 ], [ 5, %last ]
  %v.next = add i32 %v, %step
  %i.next = add i32 %i, 1
  %more = icmp slt i32 %i.next, %n
  br i1 %more, label %loop, label %end

end:
  %po = getelementptr i32, ptr %out, i32 %t
  store i32 %v.next, ptr %po
  ret void
}

; One way less.
define ptx_kernel void @nine_ways(ptr %data, ptr %out, i32 %n, i32 %same.for.all) {
; CHECK-LABEL: define ptx_kernel void @nine_ways(
; CHECK-NOT: br i1 %is
; CHECK: br i1 %more
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %v = phi i32 [ 0, %entry ], [ %v.next, %latch ]
  %place = add i32 %t, %i
  %pc = getelementptr i32, ptr %data, i32 %place
  %c = load i32, ptr %pc
  br label %ask0

ask0:
  %is0 = icmp eq i32 %c, 0
  br i1 %is0, label %latch, label %ask1

ask1:
  %is1 = icmp eq i32 %c, 1
  br i1 %is1, label %latch, label %ask2

ask2:
  %is2 = icmp eq i32 %c, 2
  br i1 %is2, label %latch, label %ask3

ask3:
  %is3 = icmp eq i32 %c, 3
  br i1 %is3, label %latch, label %ask4

ask4:
  %is4 = icmp eq i32 %c, 4
  br i1 %is4, label %latch, label %ask5

ask5:
  %is5 = icmp eq i32 %c, 5
  br i1 %is5, label %latch, label %ask6

ask6:
  %is6 = icmp eq i32 %c, 6
  br i1 %is6, label %latch, label %ask7

ask7:
  %is7 = icmp eq i32 %c, 7
  br i1 %is7, label %latch, label %last

last:
  br label %latch

latch:
  %step = phi i32 [ 1, %ask0 ], [ 8, %ask1 ], [ 15, %ask2 ], [ 22, %ask3 ], [ 29, %ask4 ], [ 36, %ask5 ], [ 43, %ask6 ], [ 50, %ask7 ], [ 5, %last ]
  %v.next = add i32 %v, %step
  %i.next = add i32 %i, 1
  %more = icmp slt i32 %i.next, %n
  br i1 %more, label %loop, label %end

end:
  %po = getelementptr i32, ptr %out, i32 %t
  store i32 %v.next, ptr %po
  ret void
}
