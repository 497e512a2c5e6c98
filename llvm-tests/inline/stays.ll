; Which calls with the address of a stack object stay, one for each reason.
; RUN: %opt -passes=inline-calls -S %s | %FileCheck %s
; RUN: %opt -passes=inline-calls,steer-spills -disable-output -pass-remarks=warpwise -pass-remarks-missed=warpwise %s 2>&1 | %FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@word = private constant [19 x i8] c"warpwise.no-inline\00"
@file = private constant [5 x i8] c"a.cu\00"
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @annotated, ptr @word, ptr @file, i32 1, ptr null }], section "llvm.metadata"
@pointer = global ptr @taken

; REMARK-COUNT-2: remark: {{.*}} left as it is: it may come to a recursive call
define void @plain(ptr %p) {
  store i32 1, ptr %p
  ret void
}
define void @often(ptr %p) {
  store i32 1, ptr %p
  ret void
}
define void @annotated(ptr %p) {
  store i32 1, ptr %p
  ret void
}
define void @kept(ptr %p) noinline {
  store i32 1, ptr %p
  ret void
}
define weak void @weak(ptr %p) {
  store i32 1, ptr %p
  ret void
}
define void @taken(ptr %p) {
  store i32 1, ptr %p
  ret void
}
define void @self(ptr %p, i32 %n) {
  store i32 1, ptr %p
  %more = icmp ne i32 %n, 0
  br i1 %more, label %again, label %done
again:
  call void @self(ptr null, i32 0)
  br label %done
done:
  ret void
}
define void @variable(ptr %p, i32 %n) {
  %at = getelementptr i32, ptr %p, i32 %n
  store i32 1, ptr %at
  ret void
}
define void @volatile(ptr %p) {
  store volatile i32 1, ptr %p
  ret void
}
define void @passes_on(ptr %p) {
  call void @unknown(ptr %p)
  ret void
}
declare void @unknown(ptr)

; REMARK-COUNT-2: remark: {{.*}} stack object %{{.*}} stays in local memory: not in registers: a kernel reaches 2 calls of the function that takes its address, and each would be a copy of it; not in shared memory: its address is passed to a call
; CHECK-LABEL: @kernel_often(
; CHECK-COUNT-2: call void @often(
define ptx_kernel void @kernel_often() {
  %x = alloca i32
  %y = alloca i32
  call void @often(ptr %x)
  call void @often(ptr %y)
  ret void
}

; REMARK-COUNT-4: remark: {{.*}} stack object %{{.*}} stays in local memory: not in registers: the function that takes its address is not optimised, marked noinline or switched off, or is called through a pointer; not in shared memory: its address is passed to a call
; CHECK-LABEL: @kernel_forbidden(
; CHECK: call void @annotated(
; CHECK: call void @kept(
; CHECK: call void @weak(
; CHECK: call void @taken(
define ptx_kernel void @kernel_forbidden() {
  %a = alloca i32
  %b = alloca i32
  %c = alloca i32
  %d = alloca i32
  call void @annotated(ptr %a)
  call void @kept(ptr %b)
  call void @weak(ptr %c)
  call void @taken(ptr %d)
  ret void
}

; CHECK-LABEL: @kernel_recursive(
; CHECK: call void @self(
define ptx_kernel void @kernel_recursive() {
  %e = alloca i32
  call void @self(ptr %e, i32 1)
  ret void
}

; each is accessed at variable places, is volatile, or its address goes elsewhere, too
; REMARK-COUNT-4: remark: {{.*}} stack object %{{.*}} stays in local memory: its address is passed to a call
; CHECK-LABEL: @kernel_nothing(
; CHECK: call void @variable(
; CHECK: call void @volatile(
; CHECK: call void @passes_on(
; CHECK: call void @plain(
define ptx_kernel void @kernel_nothing(ptr %out, i32 %n) {
  %a = alloca [4 x i32]
  %b = alloca i32
  %c = alloca i32
  %d = alloca [4 x i32]
  call void @variable(ptr %a, i32 %n)
  call void @volatile(ptr %b)
  call void @passes_on(ptr %c)
  call void @plain(ptr %d)
  %at = getelementptr i32, ptr %d, i32 %n
  %v = load i32, ptr %at
  store i32 %v, ptr %out
  ret void
}

; the kernel itself is switched off
; CHECK-LABEL: @kernel_off(
; CHECK: call void @only_here(
define ptx_kernel void @kernel_off() "warpwise-off" {
  %a = alloca i32
  call void @only_here(ptr %a)
  ret void
}
define void @only_here(ptr %p) {
  store i32 1, ptr %p
  ret void
}
