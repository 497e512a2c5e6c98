; A small copy of memory becomes loads and then stores, each as wide as both alignments allow, in vectors of bytes; with only.
; RUN: %opt -passes=warpwise -S %s | %FileCheck %s
; RUN: %opt -passes=warpwise -disable-output -pass-remarks=warpwise %s 2>&1 | %FileCheck %s --check-prefix=REMARK
; RUN: %opt -passes=warpwise -disable-output -pass-remarks-missed=warpwise %s 2>&1 | %FileCheck %s --check-prefix=APART
; RUN: %opt -passes=warpwise -warpwise-limit=1 -S %s | %FileCheck %s --check-prefix=LIMIT
; RUN: %opt -passes=warpwise -warpwise-off -S %s | %FileCheck %s --check-prefix=OFF
; RUN: %opt -passes=warpwise -S %s -o %t.ll && %llc -mcpu=sm_90 -o - %t.ll | %FileCheck %s --check-prefix=PTX
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memcpy.p1.p0.i32(ptr addrspace(1), ptr, i32, i1)
declare void @llvm.memcpy.p3.p3.i32(ptr addrspace(3), ptr addrspace(3), i32, i1)

; REMARK-COUNT-4: a copy of memory is written as loads and then stores
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
; CHECK: load <8 x i8>, ptr %from, align 8
; CHECK: load <4 x i8>, {{.*}}, align 8
; CHECK: load i8, {{.*}}, align 4
; CHECK: store <8 x i8> {{.*}}, ptr addrspace(1) %to, align 8
; CHECK: store <4 x i8> {{.*}}, align 8
; CHECK: store i8 {{.*}}, align 4
define void @odd(ptr addrspace(1) %to, ptr %from) {
  call void @llvm.memcpy.p1.p0.i32(ptr addrspace(1) align 8 %to, ptr align 8 %from, i32 13, i1 false)
  ret void
}

; between shared and global memory ptxas orders the accesses itself: split only if some registers more cost no block
; APART-COUNT-2: a copy of memory stays: between shared and global memory loads need not wait for stores, and beside about
; APART-NOT: between shared and global memory
; CHECK-LABEL: @apart(
; CHECK: load <16 x i8>, ptr %from
; CHECK-LABEL: @apart.tight(
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr align 16 %to.shared
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr align 16 %to,
; CHECK-NOT: call void @llvm.memcpy
@buffer = internal addrspace(3) global [64 x i8] undef, align 16
define ptx_kernel void @apart(ptr %from, i64 %at) "target-cpu"="sm_90" {
  %to.shared = getelementptr i8, ptr addrspacecast (ptr addrspace(3) @buffer to ptr), i64 %at
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %to.shared, ptr align 16 %from, i64 16, i1 false)
  ret void
}
define ptx_kernel void @apart.tight(ptr %to, ptr %from, i64 %at, ptr %sums) "target-cpu"="sm_90" {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = getelementptr <16 x i32>, ptr %sums, i32 %tid
  %start = load <16 x i32>, ptr %lane
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %held = phi <16 x i32> [ %start, %entry ], [ %more, %loop ]
  %to.shared = getelementptr i8, ptr addrspacecast (ptr addrspace(3) @buffer to ptr), i64 %i
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %to.shared, ptr align 16 %from, i64 16, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %to, ptr align 16 %to.shared, i64 32, i1 false)
  call void @llvm.memcpy.p3.p3.i32(ptr addrspace(3) align 16 @buffer, ptr addrspace(3) align 16 getelementptr (i8, ptr addrspace(3) @buffer, i32 32), i32 16, i1 false)
  %more = add <16 x i32> %held, splat (i32 3)
  %next = add nuw nsw i64 %i, 16
  %again = icmp ult i64 %next, %at
  br i1 %again, label %loop, label %end
end:
  store <16 x i32> %more, ptr %lane
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
