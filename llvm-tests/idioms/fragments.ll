; Fragments of matrices are loaded from shared memory where the address leads there: `ptxas` does that by `ldmatrix`.
; RUN: %opt -passes=warpwise -S %s | %FileCheck %s
; RUN: %opt -passes=warpwise -disable-output -pass-remarks=warpwise %s 2>&1 | %FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
; RUN: %opt -passes=warpwise -S %s -o %t.ll && %llc -mcpu=sm_90 -o - %t.ll | %FileCheck %s --check-prefix=PTX
; RUN: sed 's/^define .*@fragments(.*)/& "warpwise-no-idioms"/' %s | %opt -passes=warpwise -S - | %FileCheck %s --check-prefix=LEFT
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [512 x half] undef, align 32

declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare { <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half> } @llvm.nvvm.wmma.m16n16k16.load.a.row.stride.f16.p0(ptr, i32)
declare { float, float, float, float, float, float, float, float } @llvm.nvvm.wmma.m16n16k16.load.c.row.stride.f32.p0(ptr, i32)
declare void @llvm.nvvm.wmma.m16n16k16.store.d.row.stride.f32.p0(ptr, float, float, float, float, float, float, float, float, i32)

; REMARK-COUNT-2: remark: {{.*}} a fragment of a matrix is in shared memory
; CHECK-LABEL: @fragments(
; CHECK: %[[AT:.*]] = addrspacecast ptr %place to ptr addrspace(3)
; CHECK: call {{.*}} @llvm.nvvm.wmma.m16n16k16.load.a.row.stride.f16.p3(ptr addrspace(3) %[[AT]], i32 16)
; CHECK: call {{.*}} @llvm.nvvm.wmma.m16n16k16.load.c.row.stride.f32.p0(ptr %in, i32 16)
; CHECK: call void @llvm.nvvm.wmma.m16n16k16.store.d.row.stride.f32.p3(ptr addrspace(3)
; CHECK: ret void
; LEFT-LABEL: @fragments(
; LEFT: load.a.row.stride.f16.p0(
; LEFT: load.c.row.stride.f32.p0(
; LEFT: store.d.row.stride.f32.p0(
; PTX-LABEL: fragments(
; PTX-DAG: wmma.load.a.sync.aligned.row.m16n16k16.shared.f16
; PTX-DAG: wmma.load.c.sync.aligned.row.m16n16k16.f32
; PTX: wmma.store.d.sync.aligned.row.m16n16k16.shared.f32
define ptx_kernel void @fragments(ptr %in, ptr %bits) {
entry:
  %row = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %wide = zext nneg i32 %row to i64
  %place = getelementptr [256 x half], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 %wide
  %a = call { <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half> } @llvm.nvvm.wmma.m16n16k16.load.a.row.stride.f16.p0(ptr readonly %place, i32 16)
  %first = extractvalue { <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half> } %a, 0
  store <2 x half> %first, ptr %bits
  %c = call { float, float, float, float, float, float, float, float } @llvm.nvvm.wmma.m16n16k16.load.c.row.stride.f32.p0(ptr %in, i32 16)
  %0 = extractvalue { float, float, float, float, float, float, float, float } %c, 0
  call void @llvm.nvvm.wmma.m16n16k16.store.d.row.stride.f32.p0(ptr %place, float %0, float %0, float %0, float %0, float %0, float %0, float %0, float %0, i32 16)
  ret void
}

; memory of another block of the cluster is no shared memory of this one
; CHECK-LABEL: @cluster(
; CHECK: load.c.row.stride.f32.p0(ptr %there, i32 16)
define ptx_kernel void @cluster(ptr addrspace(7) %tile, ptr %bits) {
  %there = addrspacecast ptr addrspace(7) %tile to ptr
  %c = call { float, float, float, float, float, float, float, float } @llvm.nvvm.wmma.m16n16k16.load.c.row.stride.f32.p0(ptr %there, i32 16)
  %first = extractvalue { float, float, float, float, float, float, float, float } %c, 0
  store float %first, ptr %bits
  ret void
}

; of a function's argument nobody knows where it points to
; CHECK-LABEL: @unknown(
; CHECK: load.a.row.stride.f16.p0(ptr %place, i32 16)
define <2 x half> @unknown(ptr %place) {
  %a = call { <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half> } @llvm.nvvm.wmma.m16n16k16.load.a.row.stride.f16.p0(ptr %place, i32 16)
  %first = extractvalue { <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half> } %a, 0
  ret <2 x half> %first
}
