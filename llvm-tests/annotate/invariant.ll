; RUN: %opt -passes=annotate-uniform -verify-each -pass-remarks=warpwise -S %s 2>%t | %FileCheck %s
; RUN: %FileCheck --check-prefix=REMARK %s < %t
; RUN: %opt -passes=annotate-uniform -S %s -o %t.ll
; RUN: %warpwise simt --compare %s %t.ll -k caller --block 64 -a 'f32[128]:random:1' -a 'f32[1]:random:2' -a 'f32[64]:zero'
; RUN: %llc -mcpu=sm_90 %t.ll -o - | %FileCheck --check-prefix=PTX %s
; RUN: %llc -mcpu=sm_90 %s -o - | %FileCheck --check-prefix=BEFORE %s
; RUN: %opt -passes='annotate-uniform<assume-restrict>' -S %s | %FileCheck --check-prefix=ASSUME %s
; RUN: %opt -passes=annotate-uniform -warpwise-assume-restrict -S %s | %FileCheck --check-prefix=ASSUME %s
; Loads from memory that nobody writes: LLVM sees those of a kernel's own arguments, not those in a device function.
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@table = addrspace(4) constant [4 x float] [float 1.0, float 2.0, float 3.0, float 4.0]

; REMARK: remark: {{.*}}load reads memory that the kernel never writes: marked invariant
; REMARK: remark: {{.*}}marked invariant, from global memory as all callers say

; CHECK-LABEL: @direct(
; CHECK: %a = load float, ptr %from, align 4, !invariant.load
; CHECK: %b = load float, ptr %other, align 4{{$}}
; CHECK: %c = load float, ptr addrspace(4) %entry, align 4, !invariant.load
; PTX-LABEL: .entry direct(
; PTX: ld.global.nc.b32
; PTX: ld.global.b32
; ASSUME-LABEL: @direct(
; ASSUME: %b = load float, ptr %other, align 4, !invariant.load
define ptx_kernel void @direct(ptr noalias readonly %p, ptr readonly %q, ptr %r, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = and i32 %t, 3
  %from = getelementptr float, ptr %p, i32 %t
  %other = getelementptr float, ptr %q, i32 %t
  %entry = getelementptr float, ptr addrspace(4) @table, i32 %i
  %a = load float, ptr %from
  %b = load float, ptr %other
  %c = load float, ptr addrspace(4) %entry
  %s = fadd float %a, %b
  %u = fadd float %s, %c
  %to = getelementptr float, ptr %r, i32 %t
  store float %u, ptr %to
  ret void
}

; CHECK-LABEL: @device(
; CHECK: %here = getelementptr
; CHECK: [[G:%[0-9]+]] = addrspacecast ptr %here to ptr addrspace(1)
; CHECK: load float, ptr addrspace(1) [[G]], align 4, !invariant.load
; CHECK: %b = load float, ptr %q, align 4
; CHECK-NOT: !invariant.load
; CHECK: ret
; BEFORE-LABEL: .func (.param .b32 func_retval0) device(
; BEFORE-NOT: ld.global
; BEFORE: ret;
; PTX-LABEL: .func (.param .b32 func_retval0) device(
; PTX: ld.global.nc.b32
; PTX: ret;
define internal float @device(ptr %p, ptr %q, i32 %i) noinline {
  %here = getelementptr float, ptr %p, i32 %i
  %a = load float, ptr %here
  %b = load float, ptr %q
  %s = fadd float %a, %b
  ret float %s
}

define ptx_kernel void @caller(ptr noalias readonly %p, ptr readonly %q, ptr noalias %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = call float @device(ptr %p, ptr %q, i32 %t)
  %second = getelementptr i8, ptr %p, i64 64
  %b = call float @device(ptr %second, ptr %q, i32 %t)
  %s = fadd float %a, %b
  %to = getelementptr float, ptr %r, i32 %t
  store float %s, ptr %to
  ret void
}

; what the alignment of an address is tested for is only read all the same, however far the number goes
; CHECK-LABEL: @aligned(
; CHECK: %a = load float, ptr %at, align 4, !invariant.load
; CHECK: %b = load float, ptr %next, align 4, !invariant.load
define ptx_kernel void @aligned(ptr noalias %p, ptr noalias %r, i64 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr float, ptr %p, i32 %t
  %number = ptrtoint ptr %at to i64
  %low = and i64 %number, 15
  %is.aligned = icmp eq i64 %low, 0
  br i1 %is.aligned, label %whole, label %part
whole:
  %a = load float, ptr %at
  store float %a, ptr %r
  ret void
part:
  %missing = sub i64 16, %low
  %head = call i64 @llvm.umin.i64(i64 %missing, i64 %n)
  %next = getelementptr i8, ptr %p, i64 %head
  %b = load float, ptr %next
  %to = getelementptr i8, ptr %r, i64 %head
  store float %b, ptr %to
  ret void
}

declare i64 @llvm.umin.i64(i64, i64)
