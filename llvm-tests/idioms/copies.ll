; A small copy of memory becomes loads and then stores, each as wide as both alignments allow, in vectors of bytes; with only.
; RUN: %opt -passes=warpwise -S %s | %FileCheck %s
; RUN: %opt -passes=warpwise -disable-output -pass-remarks=warpwise %s 2>&1 | %FileCheck %s --check-prefix=REMARK
; RUN: %opt -passes=warpwise -warpwise-limit=1 -S %s | %FileCheck %s --check-prefix=LIMIT
; RUN: %opt -passes=warpwise -warpwise-off -S %s | %FileCheck %s --check-prefix=OFF
; RUN: %opt -passes=warpwise -S %s -o %t.ll && %llc -mcpu=sm_90 -o - %t.ll | %FileCheck %s --check-prefix=PTX
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memcpy.p3.p1.i32(ptr addrspace(3), ptr addrspace(1), i32, i1)

; REMARK-COUNT-3: a copy of memory is written as loads and then stores
; OFF-LABEL: @words(
; OFF: call void @llvm.memcpy
; LIMIT-LABEL: @words(
; LIMIT-NOT: memcpy
; LIMIT-LABEL: @line(
; LIMIT: call void @llvm.memcpy

; CHECK-LABEL: @words(
; CHECK-NEXT: load <4 x i8>, ptr %from, align 4
; CHECK-NEXT: getelementptr inbounds i8, ptr %from, i64 4
; CHECK-NEXT: load <4 x i8>, {{.*}}, align 4
; CHECK-NEXT: getelementptr inbounds i8, ptr %from, i64 8
; CHECK-NEXT: load <4 x i8>, {{.*}}, align 4
; CHECK-NEXT: store <4 x i8> {{.*}}, ptr %to, align 4
; CHECK-NEXT: getelementptr inbounds i8, ptr %to, i64 4
; CHECK-NEXT: store <4 x i8> {{.*}}, align 4
; CHECK-NEXT: getelementptr inbounds i8, ptr %to, i64 8
; CHECK-NEXT: store <4 x i8> {{.*}}, align 4
; CHECK-NEXT: ret void
; PTX-LABEL: .entry words(
; PTX-COUNT-3: ld.global.nc.b32
; PTX-COUNT-3: st.global.b32
define ptx_kernel void @words(ptr noalias writeonly %to, ptr noalias readonly %from) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %to, ptr align 16 %from, i64 12, i1 false)
  ret void
}

; CHECK-LABEL: @line(
; CHECK-NEXT: load <16 x i8>, ptr %from, align 16
; CHECK-NEXT: store <16 x i8> {{.*}}, ptr %to, align 16
; PTX-LABEL: .entry line(
; PTX: ld.global.nc.v4.b32
; PTX: st.global.v4.b32
define ptx_kernel void @line(ptr noalias writeonly %to, ptr noalias readonly %from) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %to, ptr align 16 %from, i64 16, i1 false)
  ret void
}

; an odd length, to another space
; CHECK-LABEL: @odd(
; CHECK: load <8 x i8>, ptr addrspace(1) %from, align 8
; CHECK: load <4 x i8>, {{.*}}, align 8
; CHECK: load i8, {{.*}}, align 4
; CHECK: store <8 x i8> {{.*}}, ptr addrspace(3) %to, align 8
; CHECK: store <4 x i8> {{.*}}, align 8
; CHECK: store i8 {{.*}}, align 4
define void @odd(ptr addrspace(3) %to, ptr addrspace(1) %from) {
  call void @llvm.memcpy.p3.p1.i32(ptr addrspace(3) align 8 %to, ptr addrspace(1) align 8 %from, i32 13, i1 false)
  ret void
}

; one access anyway; bytes; pairs of bytes; volatile; of unknown length; of a stack object
; CHECK-LABEL: @stays(
; CHECK-COUNT-6: call void @llvm.memcpy
define void @stays(ptr %to, ptr %from, i64 %length) {
  %object = alloca [16 x i8], align 16
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %to, ptr align 8 %from, i64 8, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 16, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 2 %to, ptr align 2 %from, i64 16, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %to, ptr align 4 %from, i64 16, i1 true)
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %to, ptr align 4 %from, i64 %length, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %object, ptr align 16 %from, i64 16, i1 false)
  %x = load volatile i8, ptr %object
  ret void
}
