; Inlined code computes the same bits. What is joined in the two functions is written as a multiply-add; a product that goes
; through an argument, a result or memory, which round it, is rounded on its own. What LLVM makes of the functions tells which.
; The call stays where a float that was rounded to float may be rounded to half, and where ptxas decides: about sums of several
; blocks that share a product, and loops that it may unroll.
; RUN: %opt -passes=inline-calls -S %s -o %t.ll
; RUN: %FileCheck %s --input-file=%t.ll
; RUN: %opt -passes=inline-calls,steer-spills -disable-output -pass-remarks-missed=warpwise %s 2>&1 | %FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
; DEFINE: %{same} = %warpwise simt --contract --compare %s %t.ll --block 1
; RUN: %{same} -k places -a f32[1]:random:1 -a f32:0.3
; RUN: %{same} -k through_argument -a f32[1]:random:1 -a f32:0.3
; RUN: %{same} -k through_result -a f32[1]:random:1 -a f32:0.3 -a i8:0
; RUN: %{same} -k through_object -a f32[1]:random:1 -a f32:0.3
; RUN: %{same} -k through_copy -a f32[1]:random:1 -a f32:0.3
; RUN: %{same} -k through_memory -a f32[1]:random:1 -a f32:0.3
; RUN: %{same} -k parted -a f32[1]:random:1 -a f32:0.3
; RUN: %{same} -k ordered -a f32[1]:random:1 -a f32:0.3 -a f32:0.7
; RUN: %{same} -k unsure -a f32[1]:random:1 -a f32:0.3 -a f32:0.7
; RUN: %{same} -k partly -a f32[1]:random:1 -a f32:0.3 -a f32:0.7 -a i8:1
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define float @apart(ptr %p, float %x, float %y) {
  %sum = fadd contract float %x, %y
  %second = getelementptr i8, ptr %p, i64 4
  %product = fmul contract float %sum, %y
  store float %product, ptr %p
  store float %sum, ptr %second
  ret float %product
}

; CHECK-LABEL: @places(
; CHECK-NOT: call {{.*}}@
; CHECK: store float %{{.*}}, ptr %out
define ptx_kernel void @places(ptr %out, float %a) {
  %object = alloca { float, float }
  %r = call float @apart(ptr %object, float %a, float 3.0)
  %second = getelementptr i8, ptr %object, i64 4
  %old = load float, ptr %second
  %s = fadd contract float %old, %a
  %t = fmul contract float %s, %r
  store float %t, ptr %out
  ret void
}

define void @argument(ptr %p, float %x) {
  %sum = fadd contract float %x, 1.0
  store float %sum, ptr %p
  ret void
}

; REMARK-COUNT-5: remark: {{.*}} stack object %{{.*}} stays in local memory: not in registers: products and sums around it could become other multiply-adds; -warpwise-results=contract allows that; not in shared memory: its address is passed to a call
; CHECK-LABEL: @through_argument(
; CHECK-NOT: call {{.*}}@
; CHECK: %product{{.*}} = tail call float asm "mul.rn.f32 $0, $1, $2;"
define ptx_kernel void @through_argument(ptr %out, float %a) {
  %object = alloca float
  %product = fmul contract float %a, %a
  %negative = fneg float %product
  call void @argument(ptr %object, float %negative)
  %new = load float, ptr %object
  store float %new, ptr %out
  ret void
}

define float @result(ptr %p, float %x, i1 %c) {
  %product = fmul contract float %x, %x
  %chosen = select i1 %c, float %x, float %product
  store float %x, ptr %p
  ret float %chosen
}

; CHECK-LABEL: @through_result(
; CHECK-NOT: call {{.*}}@
; CHECK: %product{{.*}} = tail call float asm "mul.rn.f32 $0, $1, $2;"
define ptx_kernel void @through_result(ptr %out, float %a, i1 %c) {
  %object = alloca float
  %r = call float @result(ptr %object, float %a, i1 %c)
  %new = load float, ptr %object
  %s = fsub contract float %new, %r
  store float %s, ptr %out
  ret void
}

define void @store(ptr %p, float %x) {
  %product = fmul contract float %x, %x
  store float %product, ptr %p
  ret void
}

; CHECK-LABEL: @through_object(
; CHECK-NOT: call {{.*}}@
; CHECK: %product{{.*}} = tail call float asm "mul.rn.f32 $0, $1, $2;"
define ptx_kernel void @through_object(ptr %out, float %a) {
  %object = alloca float
  call void @store(ptr %object, float %a)
  %new = load float, ptr %object
  %s = fadd contract float %new, %a
  store float %s, ptr %out
  ret void
}

define void @stored(ptr %p, float %x) {
  %product = fmul contract float %x, %x
  store float %product, ptr %p
  ret void
}

; CHECK-LABEL: @through_copy(
; CHECK-NOT: call {{.*}}@
; CHECK: %product{{.*}} = tail call float asm "mul.rn.f32 $0, $1, $2;"
define ptx_kernel void @through_copy(ptr %out, float %a) {
  %object = alloca float
  %copy = alloca float
  call void @stored(ptr %object, float %a)
  call void @llvm.memcpy.p0.p0.i64(ptr %copy, ptr %object, i64 4, i1 false)
  %new = load float, ptr %copy
  %s = fadd contract float %new, %a
  store float %s, ptr %out
  ret void
}

define void @reads(ptr %p, ptr %out) {
  %x = load float, ptr %out
  %s = fadd contract float %x, 1.0
  store float %s, ptr %p
  ret void
}

; CHECK-LABEL: @through_memory(
; CHECK: %product = tail call float asm "mul.rn.f32 $0, $1, $2;", "=f,f,f"(float %a, float %a)
; CHECK: fadd contract
define ptx_kernel void @through_memory(ptr %out, float %a) {
  %object = alloca float
  %product = fmul contract float %a, %a
  store float %product, ptr %out
  call void @reads(ptr %object, ptr %out)
  %new = load float, ptr %object
  store float %new, ptr %out
  ret void
}

define void @halved(ptr %p, float %x) {
  %h = fptrunc contract float %x to half
  %e = fpext contract half %h to float
  store float %e, ptr %p
  ret void
}

; A double is rounded twice; in one function the back end would round it once.
; CHECK-LABEL: @twice(
; CHECK: call void @halved(
define ptx_kernel void @twice(ptr %out, double %a) {
  %object = alloca float
  %f = fptrunc contract double %a to float
  call void @halved(ptr %object, float %f)
  %new = load float, ptr %object
  store float %new, ptr %out
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define void @branches(ptr %p, i32 %n) {
  %c = icmp eq i32 %n, 0
  br i1 %c, label %yes, label %no
yes:
  store i32 3, ptr %p
  br label %no
no:
  ret void
}

; The product is joined with the sum of its block, although something else uses it, too; the callee's blocks would come between.
; CHECK-LABEL: @parted(
; CHECK-NOT: call void @branches(
; CHECK: call float @llvm.fma.f32(float %a, float %a, float 1.000000e+00)
define ptx_kernel void @parted(ptr %out, float %a) {
  %object = alloca i32
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %product = fmul contract float %a, %a
  store i32 %t, ptr %object
  call void @branches(ptr %object, i32 %t)
  %sum = fadd contract float %product, 1.0
  %old = load i32, ptr %object
  %number = uitofp i32 %old to float
  %both = fmul contract float %product, %number
  %whole = fdiv float %sum, %both
  store float %whole, ptr %out
  ret void
}

; Of two products a sum takes the one with fewer uses in its block, else the first, which Reassociate might swap in the caller.
define void @both(ptr %p, float %x, float %y) {
  %one = fmul contract float %x, %x
  %other = fmul contract float %y, 3.0
  %sum = fadd contract float %one, %other
  store float %sum, ptr %p
  ret void
}

; CHECK-LABEL: @ordered(
; CHECK: [[OTHER:%.*]] = fmul contract float %b, 3.000000e+00
; CHECK: call float @llvm.fma.f32(float %a, float %a, float [[OTHER]])
define ptx_kernel void @ordered(ptr %out, float %a, float %b) {
  %object = alloca float
  call void @both(ptr %object, float %a, float %b)
  %new = load float, ptr %object
  store float %new, ptr %out
  ret void
}

define float @either(ptr %p, float %x, float %y) {
  %one = fmul contract float %x, %x
  %other = fmul contract float %y, 3.0
  %sum = fsub contract float %one, %other
  %root = fdiv float %one, %x
  store float %sum, ptr %p
  ret float %root
}

; CHECK-LABEL: @unsure(
; CHECK: [[ONE:%.*]] = fmul contract float %a, %a
; CHECK: [[MINUS:%.*]] = fneg float %b
; CHECK: call float @llvm.fma.f32(float [[MINUS]], float 3.000000e+00, float [[ONE]])
define ptx_kernel void @unsure(ptr %out, float %a, float %b) {
  %object = alloca float
  %root = call float @either(ptr %object, float %a, float %b)
  %new = load float, ptr %object
  %ratio = fdiv float %new, %root
  store float %ratio, ptr %out
  ret void
}

define float @later(ptr %p, float %x, i1 %more) {
entry:
  %product = fmul contract float %x, %x
  store float %x, ptr %p
  br i1 %more, label %add, label %end
add:
  %sum = fadd contract float %product, 3.0
  br label %end
end:
  %r = phi float [ %product, %entry ], [ %sum, %add ]
  ret float %r
}

; As a select, which LLVM makes of the branch, the sum is in the block of the product.
; CHECK-LABEL: @open(
; CHECK: asm "mul.rn.f32
; CHECK: call float @llvm.fma.f32(float %a, float %a, float 3.000000e+00)
define ptx_kernel void @open(ptr %out, float %a, i1 %more) {
  %object = alloca float
  %r = call float @later(ptr %object, float %a, i1 %more)
  %new = load float, ptr %object
  %ratio = fdiv float %new, %r
  store float %ratio, ptr %out
  ret void
}

; A sum takes the product of its loop, and not the one in front of it, since LLVM unrolls the loop: then only that has no other use.
define void @kept(ptr %p, float %x) {
  store float %x, ptr %p
  ret void
}

; CHECK-LABEL: @hoisted(
; CHECK: call float @llvm.fma.f32(float %v, float 0x3FF19999A0000000, float %product)
define ptx_kernel void @hoisted(ptr %out, float %a, i32 %n) {
entry:
  %object = alloca float
  %product = fmul contract float %a, %a
  br label %loop
loop:
  %v = phi float [ %a, %entry ], [ %sum, %loop ]
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %within = fmul contract float %v, 0x3FF19999A0000000
  %sum = fadd contract float %product, %within
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  call void @kept(ptr %object, float %sum)
  %new = load float, ptr %object
  store float %new, ptr %out
  ret void
}

; Whether the second sum takes a product of another block that has other uses is up to ptxas, and the code around them.
; CHECK-LABEL: @several(
; CHECK: call void @argument(
define ptx_kernel void @several(ptr %out, float %a, float %b, i1 %c) {
entry:
  %object = alloca float
  call void @argument(ptr %object, float %a)
  %new = load float, ptr %object
  %product = fmul contract float %a, %b
  %first = fadd contract float %product, %new
  br i1 %c, label %way, label %end
way:
  %second = fsub contract float %product, %b
  br label %end
end:
  %sum = phi float [ %first, %entry ], [ %second, %way ]
  store float %sum, ptr %out
  ret void
}

; As a select, which LLVM makes of the branch, the second product is in the block of its sum.
; CHECK-LABEL: @partly(
; CHECK: call float @llvm.fma.f32(float %a, float %b,
; CHECK: call float @llvm.fma.f32(float %a, float %{{.*}}, float %sum)
define ptx_kernel void @partly(ptr %out, float %a, float %b, i1 %c) {
entry:
  %object = alloca float
  call void @argument(ptr %object, float %a)
  %new = load float, ptr %object
  %first = fmul contract float %a, %b
  %sum = fadd contract float %first, %new
  br i1 %c, label %way, label %join
way:
  %root = call float @llvm.sqrt.f32(float %sum)
  br label %join
join:
  %either = phi float [ %b, %entry ], [ %root, %way ]
  %second = fmul contract float %a, %either
  %both = fadd contract float %second, %sum
  store float %both, ptr %out
  ret void
}

define float @adds_up(ptr %p, float %x, i32 %n) {
entry:
  %start = fmul contract float %x, %x
  store float %start, ptr %p
  %some = icmp ugt i32 %n, 7
  br i1 %some, label %more, label %end
more:
  %half = fdiv float %x, 2.0
  br label %end
end:
  %either = phi float [ %start, %entry ], [ %half, %more ]
  %sum = fadd contract float %either, 3.0
  ret float %sum
}

; Where another way brought a constant, InstCombine would move the sum to the product: it is rounded alone, and so is the product.
; CHECK-LABEL: @behind_phi(
; CHECK: asm "mul.rn.f32
; CHECK: asm "add.rn.f32
define ptx_kernel void @behind_phi(ptr %out, float %a, i32 %n) {
  %object = alloca float
  %r = call float @adds_up(ptr %object, float %a, i32 %n)
  %new = load float, ptr %object
  %ratio = fdiv float %new, %r
  store float %ratio, ptr %out
  ret void
}

define float @starts_with(ptr %p, float %x, i32 %n) {
entry:
  %start = fmul contract float %x, %x
  store float %start, ptr %p
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %so.far = phi float [ %start, %entry ], [ %sum, %loop ]
  %sum = fadd contract float %so.far, 3.0
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret float %sum
}

; Unrolled or peeled, the loop would have the sum of the product in its first iteration.
; CHECK-LABEL: @first_iteration(
; CHECK: call {{.*}}@starts_with
define ptx_kernel void @first_iteration(ptr %out, float %a, i32 %n) {
  %object = alloca float
  %r = call float @starts_with(ptr %object, float %a, i32 %n)
  %new = load float, ptr %object
  %ratio = fdiv float %new, %r
  store float %ratio, ptr %out
  ret void
}

define float @from_before(ptr %p, float %x, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %last = phi float [ %x, %entry ], [ %product, %loop ]
  %sum = fadd contract float %last, 3.0
  %product = fmul contract float %sum, %x
  store float %product, ptr %p
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret float %sum
}

; Unrolled, the loop would have both in one block.
; CHECK-LABEL: @next_iteration(
; CHECK: call {{.*}}@from_before
define ptx_kernel void @next_iteration(ptr %out, float %a, i32 %n) {
  %object = alloca float
  %r = call float @from_before(ptr %object, float %a, i32 %n)
  %new = load float, ptr %object
  %ratio = fdiv float %new, %r
  store float %ratio, ptr %out
  ret void
}

; A sum takes that of two products that has fewer uses left, which other code of the block decides if other sums take some.
; CHECK-LABEL: @in_turn(
; CHECK: [[PRODUCT:%.*]] = {{.*}}asm "mul.rn.f32
; CHECK: call float @llvm.fma.f32(float %b, float %b, float [[PRODUCT]])
; CHECK-COUNT-2: call float @llvm.fma.f32(float %b, float %b,
define ptx_kernel void @in_turn(ptr %out, float %a, float %b) {
  %object = alloca float
  call void @argument(ptr %object, float %a)
  %product = fmul contract float %a, %b
  %often = fmul contract float %b, %b
  %one = fadd contract float %product, %often
  %two = fadd contract float %one, %often
  %three = fadd contract float %two, %often
  store float %three, ptr %out
  %second = getelementptr i8, ptr %out, i64 4
  store float %product, ptr %second
  ret void
}

; Whichever of these comes first, it takes the first.
; CHECK-LABEL: @both_the_first(
; CHECK-NOT: call {{.*}}@
; CHECK: call float @llvm.fma.f32(float %a, float %b, float %often)
; CHECK: call float @llvm.fma.f32(float %a, float %b, float %{{.*}})
define ptx_kernel void @both_the_first(ptr %out, float %a, float %b) {
  %object = alloca float
  call void @argument(ptr %object, float %a)
  %product = fmul contract float %a, %b
  %often = fmul contract float %b, %b
  %one = fadd contract float %product, %often
  %two = fsub contract float %product, %often
  store float %one, ptr %out
  %second = getelementptr i8, ptr %out, i64 4
  store float %two, ptr %second
  ret void
}

; LLVM's back end computes the product in front of the branch, and the sum, which waits for a load, behind it.
; CHECK-LABEL: @in_front_of_the_branch(
; CHECK: call {{.*}}@argument
define ptx_kernel void @in_front_of_the_branch(ptr %out, float %a, float %b, i1 %is_side) {
entry:
  %object = alloca float
  call void @argument(ptr %object, float %a)
  br i1 %is_side, label %side, label %end

side:
  %product = fmul contract float %a, %b
  %loaded = load float, ptr %out
  %one = fsub contract float %product, %loaded
  %two = fsub contract float %product, %one
  br label %end

end:
  %result = phi float [ %two, %side ], [ 0.0, %entry ]
  store float %result, ptr %out
  ret void
}

; It leaves both where both wait for it.
; CHECK-LABEL: @behind_the_branch(
; CHECK-NOT: call {{.*}}@argument
; CHECK: call float @llvm.fma.f32(float %loaded,
; CHECK: call float @llvm.fma.f32(float %loaded,
define ptx_kernel void @behind_the_branch(ptr %out, float %a, float %b, i1 %is_side) {
entry:
  %object = alloca float
  call void @argument(ptr %object, float %a)
  br i1 %is_side, label %side, label %end

side:
  %loaded = load float, ptr %out
  %product = fmul contract float %loaded, %b
  %one = fsub contract float %product, %loaded
  %two = fsub contract float %product, %one
  br label %end

end:
  %result = phi float [ %two, %side ], [ 0.0, %entry ]
  store float %result, ptr %out
  ret void
}

; LLVM would have the square of %a on one of the ways and compute that of %next on the other (partial redundancy elimination), away
; from the sum, if it did not make a select of the branch.
; CHECK-LABEL: @square_on_one_way(
; CHECK: asm "mul.rn.f32
; CHECK: call float @llvm.fma.f32(float %{{.*}}, float %{{.*}}, float %b)
define ptx_kernel void @square_on_one_way(ptr %out, float %a, float %b, i1 %is_side) {
entry:
  %object = alloca float
  call void @argument(ptr %object, float %a)
  %early = fmul contract float %a, %a
  store float %early, ptr %out
  br i1 %is_side, label %side, label %end

side:
  %next = load float, ptr %out
  br label %end

end:
  %factor = phi float [ %next, %side ], [ %a, %entry ]
  %square = fmul contract float %factor, %factor
  %sum = fadd contract float %square, %b
  store float %sum, ptr %out
  ret void
}
