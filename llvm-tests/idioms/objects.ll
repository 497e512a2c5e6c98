; A stack object that is only copied as a whole becomes registers: its copies are loads and stores of words, which LLVM merges
; again where they are neighbours. Products that are stored are rounded on their own, since LLVM may now find them in sums.
; RUN: %opt -passes=idioms,warpwise -S %s -o %t.ll
; RUN: %FileCheck %s --input-file=%t.ll
; RUN: %opt -passes=idioms,steer-spills -disable-output -pass-remarks=warpwise -pass-remarks-missed=warpwise %s 2>&1 | %FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
; RUN: %opt -passes=idioms -warpwise-limit=1 -S %s | %FileCheck %s --check-prefix=LIMIT
; RUN: %llc -mcpu=sm_90 -o - %t.ll | %FileCheck %s --check-prefix=PTX
; RUN: %warpwise simt --compare %s %t.ll -k swap --block 32 --arg f32[256]:random:1
; RUN: %warpwise simt --compare %s %t.ll -k chosen --block 32 --arg f32[256]:random:3
; RUN: %warpwise simt --compare %s %t.ll -k odd --block 32 --arg i32[256]:random:2
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @use(ptr)

; REMARK: remark: {{.*}} 1 stack object of 16 bytes copied word by word, and so in registers
; CHECK-LABEL: @swap(
; CHECK-NOT: alloca
; CHECK-NOT: memcpy
; CHECK: ret void
; LIMIT-LABEL: @swap(
; LIMIT-NOT: alloca
; LIMIT-LABEL: @odd(
; LIMIT: alloca
; PTX-LABEL: .entry swap(
; PTX-NOT: .local
; PTX: ld.global.v4.b32
; PTX: ld.global.v4.b32
; PTX: st.global.v4.b32
; PTX: st.global.v4.b32
define ptx_kernel void @swap(ptr %p) {
  %object = alloca [16 x i8], align 16
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = getelementptr [2 x <4 x float>], ptr %p, i32 %t
  %b = getelementptr i8, ptr %a, i64 16
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %object, ptr align 16 %a, i64 16, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %a, ptr align 16 %b, i64 16, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %b, ptr align 16 %object, i64 16, i1 false)
  ret void
}

; A copy of an odd length, from one object to another, and a part of it read.
; REMARK: remark: {{.*}} 2 stack objects of 38 bytes copied word by word, and so in registers
; CHECK-LABEL: @odd(
; CHECK-NOT: alloca
; CHECK: ret void
define ptx_kernel void @odd(ptr %p) {
  %object = alloca [19 x i8], align 4
  %other = alloca [19 x i8], align 4
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = getelementptr [32 x i8], ptr %p, i32 %t
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %object, ptr align 4 %a, i64 19, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %other, ptr align 4 %object, i64 19, i1 false)
  %from = getelementptr i8, ptr %other, i64 4
  %word = load i32, ptr %from, align 4
  %more = add i32 %word, %t
  store i32 %more, ptr %from, align 4
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %a, ptr align 4 %other, i64 19, i1 false)
  ret void
}

; REMARK: remark: {{.*}} 1 stack object of 8 bytes copied word by word, and so in registers
; CHECK-LABEL: @product(
; CHECK-NOT: alloca
; CHECK: asm "mul.rn.f32
; CHECK: fadd contract float
define ptx_kernel void @product(ptr %p, float %x) {
  %object = alloca [8 x i8], align 4
  %product = fmul contract float %x, %x
  store float %product, ptr %object
  %second = getelementptr i8, ptr %object, i64 4
  store float %x, ptr %second
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %p, ptr align 4 %object, i64 8, i1 false)
  %old = load float, ptr %object
  %sum = fadd contract float %old, %x
  %to = getelementptr i8, ptr %p, i64 8
  store float %sum, ptr %to
  ret void
}

; One of two objects is copied.
; REMARK: remark: {{.*}} 2 stack objects of 32 bytes copied word by word, and so in registers
; CHECK-LABEL: @chosen(
; CHECK-NOT: alloca
; CHECK: ret void
define ptx_kernel void @chosen(ptr %p) {
  %object = alloca [16 x i8], align 16
  %other = alloca [16 x i8], align 16
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = getelementptr [2 x <4 x float>], ptr %p, i32 %t
  %b = getelementptr i8, ptr %a, i64 16
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %object, ptr align 16 %a, i64 16, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %other, ptr align 16 %b, i64 16, i1 false)
  %bit = and i32 %t, 4
  %c = icmp eq i32 %bit, 0
  %one = select i1 %c, ptr %object, ptr %other
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %a, ptr align 16 %one, i64 16, i1 false)
  ret void
}

; The product is joined with a sum of its block, and may meet another one.
; REMARK: remark: {{.*}} 1 stack object of 8 bytes copied word by word, and so in registers
; CHECK-LABEL: @joined(
; CHECK-NOT: alloca
; CHECK: asm "mul.rn.f32
; CHECK: call float @llvm.fma.f32(float %x, float %x, float 3.000000e+00)
define void @joined(ptr %p, float %x) {
  %object = alloca [8 x i8], align 4
  %product = fmul contract float %x, %x
  %here = fadd contract float %product, 3.0
  store float %product, ptr %object
  %second = getelementptr i8, ptr %object, i64 4
  store float %here, ptr %second
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %p, ptr align 4 %object, i64 8, i1 false)
  ret void
}

; Whether the sum of another block is joined with the product depends on what LLVM moves later.
; REMARK: remark: {{.*}} stack object %object ([8 x i8], 8 bytes) stays in local memory: not in registers: products and sums around it could become other multiply-adds; -warpwise-results=contract allows that; not in shared memory: slots belong to a launch
; CHECK-LABEL: @open(
; CHECK: alloca
define void @open(ptr %p, float %x, i1 %more) {
entry:
  %object = alloca [8 x i8], align 4
  %product = fmul contract float %x, %x
  br i1 %more, label %add, label %end
add:
  %sum = fadd contract float %product, 3.0
  br label %end
end:
  %last = phi float [ %product, %entry ], [ %sum, %add ]
  store float %last, ptr %object
  %second = getelementptr i8, ptr %object, i64 4
  store float %x, ptr %second
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %p, ptr align 4 %object, i64 8, i1 false)
  ret void
}

; The sum is copied to the ways that lead to its block once that is small, and joined with the product there.
; REMARK: remark: {{.*}} stack object %object ([8 x i8], 8 bytes) stays in local memory: not in registers: products and sums around it could become other multiply-adds; -warpwise-results=contract allows that; not in shared memory: slots belong to a launch
; CHECK-LABEL: @passed(
; CHECK: alloca
define void @passed(ptr %p, float %x, i1 %more) {
entry:
  %object = alloca [8 x i8], align 4
  br i1 %more, label %multiply, label %add
multiply:
  %product = fmul contract float %x, %x
  br label %add
add:
  %either = phi float [ %x, %entry ], [ %product, %multiply ]
  %sum = fadd contract float %either, %x
  store float %sum, ptr %object
  %second = getelementptr i8, ptr %object, i64 4
  store float %x, ptr %second
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %p, ptr align 4 %object, i64 8, i1 false)
  ret void
}

; Volatile copies, large objects, and objects whose address goes elsewhere stay as they are.
; REMARK: remark: {{.*}} stack object %a ([16 x i8]) stays in local memory: it is accessed with volatile or atomic operations
; REMARK-COUNT-2: remark: {{.*}} stays in local memory: its address is passed to a call
; CHECK-LABEL: @stays(
; CHECK-COUNT-3: alloca
; CHECK-COUNT-3: call void @llvm.memcpy
define ptx_kernel void @stays(ptr %p) {
  %a = alloca [16 x i8], align 16
  %b = alloca [320 x i8], align 16
  %c = alloca [16 x i8], align 16
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %a, ptr align 16 %p, i64 16, i1 true)
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %b, ptr align 16 %p, i64 320, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %c, ptr align 16 %p, i64 16, i1 false)
  call void @use(ptr %a)
  call void @use(ptr %b)
  call void @use(ptr %c)
  ret void
}
