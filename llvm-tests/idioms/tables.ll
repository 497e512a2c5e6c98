; A table that lanes read at different places leaves constant memory, once; others stay, and those that the host knows.
; RUN: %opt -passes=warpwise -S %s | %FileCheck %s
; RUN: %opt -passes=warpwise -disable-output -pass-remarks=warpwise %s 2>&1 | %FileCheck %s --check-prefix=REMARK
; RUN: %opt -passes=warpwise -warpwise-off -S %s | %FileCheck %s --check-prefix=OFF
; RUN: %opt -passes=warpwise -S %s -o %t.ll && %llc -mcpu=sm_90 -o - %t.ll | %FileCheck %s --check-prefix=PTX
; RUN: %warpwise simt --compare %s %t.ll --kernel lanes --block 3 --arg i32[3]:zero
; RUN: %warpwise simt --compare %s %t.ll --kernel again --block 2 --arg i32[2]:zero
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-DAG: @apart = internal unnamed_addr addrspace(1) constant [4 x float]
; CHECK-DAG: @both = internal addrspace(1) constant [2 x i32]
; CHECK-DAG: @together = internal addrspace(4) constant [2 x i32]
; CHECK-DAG: @cells = internal addrspace(4) constant [4 x i32]
; CHECK-DAG: @levels = internal addrspace(1) constant [4 x i32]
; CHECK-DAG: @copied = internal addrspace(4) externally_initialized constant [2 x i32]
; CHECK-DAG: @named = addrspace(4) constant [2 x i32]
; OFF: @apart = internal unnamed_addr addrspace(4) constant [4 x float]
@apart = internal unnamed_addr addrspace(4) constant [4 x float] [float 1.0, float 2.0, float 3.0, float 4.0], align 4
@both = internal addrspace(4) constant [2 x i32] [i32 1, i32 2], align 4
@together = internal addrspace(4) constant [2 x i32] [i32 3, i32 4], align 4
@cells = internal addrspace(4) constant [4 x i32] [i32 3, i32 1, i32 2, i32 0], align 4
@levels = internal addrspace(4) constant [4 x i32] [i32 3, i32 1, i32 2, i32 0], align 4
@copied = internal addrspace(4) externally_initialized constant [2 x i32] [i32 5, i32 6], align 4
@named = addrspace(4) constant [2 x i32] [i32 7, i32 8], align 4

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; REMARK-COUNT-4: a table that lanes read at different places leaves constant memory
; REMARK-NOT: leaves constant memory

; two loads, with different ways to the place
; CHECK-LABEL: @lanes(
; CHECK: getelementptr float, ptr addrspacecast (ptr addrspace(1) @apart to ptr), i64 %place
; CHECK: load i32, ptr getelementptr inbounds (i8, ptr addrspacecast (ptr addrspace(1) @both to ptr), i64 4)
; PTX-LABEL: .entry lanes(
; PTX-COUNT-3: ld.global.nc.b32
define ptx_kernel void @lanes(ptr %to) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %place = zext i32 %tid to i64
  %at = getelementptr float, ptr addrspacecast (ptr addrspace(4) @apart to ptr), i64 %place
  %a = load float, ptr %at, align 4
  %next = getelementptr float, ptr %at, i64 1
  %b = load float, ptr %next, align 4
  %c = load i32, ptr getelementptr inbounds (i8, ptr addrspacecast (ptr addrspace(4) @both to ptr), i64 4), align 4
  %sum = fadd float %a, %b
  %bits = bitcast float %sum to i32
  %all = add i32 %bits, %c
  %out = getelementptr i32, ptr %to, i64 %place
  store i32 %all, ptr %out, align 4
  ret void
}

; the same table in another kernel, and one that this kernel alone reads apart
; CHECK-LABEL: @again(
; CHECK: getelementptr float, ptr addrspacecast (ptr addrspace(1) @apart to ptr), i64 %place
; CHECK: getelementptr i32, ptr addrspacecast (ptr addrspace(1) @both to ptr), i64 %place
define ptx_kernel void @again(ptr %to) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %place = zext i32 %tid to i64
  %at = getelementptr float, ptr addrspacecast (ptr addrspace(4) @apart to ptr), i64 %place
  %a = load i32, ptr %at, align 4
  %at.both = getelementptr i32, ptr addrspacecast (ptr addrspace(4) @both to ptr), i64 %place
  %b = load i32, ptr %at.both, align 4
  %all = add i32 %a, %b
  %out = getelementptr i32, ptr %to, i64 %place
  store i32 %all, ptr %out, align 4
  ret void
}

; one place for all lanes; a variable that the host writes, or that other modules name
; PTX-LABEL: .entry stays(
; PTX: ld.const.b32
; PTX-COUNT-2: ld.const.b32
define ptx_kernel void @stays(ptr %to, i64 %uni) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %place = zext i32 %tid to i64
  %at = getelementptr i32, ptr addrspacecast (ptr addrspace(4) @together to ptr), i64 %uni
  %a = load i32, ptr %at, align 4
  %at.copied = getelementptr i32, ptr addrspacecast (ptr addrspace(4) @copied to ptr), i64 %place
  %b = load i32, ptr %at.copied, align 4
  %at.named = getelementptr i32, ptr addrspacecast (ptr addrspace(4) @named to ptr), i64 %place
  %c = load i32, ptr %at.named, align 4
  %some = add i32 %a, %b
  %all = add i32 %some, %c
  %out = getelementptr i32, ptr %to, i64 %place
  store i32 %all, ptr %out, align 4
  ret void
}

; the cell of each pixel, and what the cell leads to, are mostly those of its neighbour; a number of the data's is not
; PTX-LABEL: .entry rounded(
; PTX-COUNT-2: ld.const.b32
; PTX: ld.global.nc.b32
define ptx_kernel void @rounded(ptr %to, float %scale, ptr %data) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %place = zext i32 %tid to i64
  %x = uitofp i32 %tid to float
  %scaled = fmul float %x, %scale
  %round = fptosi float %scaled to i32
  %cell = and i32 %round, 3
  %cell.wide = zext i32 %cell to i64
  %at = getelementptr i32, ptr addrspacecast (ptr addrspace(4) @cells to ptr), i64 %cell.wide
  %a = load i32, ptr %at, align 4
  %next = zext i32 %a to i64
  %at.next = getelementptr i32, ptr addrspacecast (ptr addrspace(4) @cells to ptr), i64 %next
  %b = load i32, ptr %at.next, align 4
  %at.datum = getelementptr float, ptr %data, i64 %place
  %datum = load float, ptr %at.datum, align 4
  %level = fptosi float %datum to i32
  %level.wide = zext i32 %level to i64
  %at.level = getelementptr i32, ptr addrspacecast (ptr addrspace(4) @levels to ptr), i64 %level.wide
  %c = load i32, ptr %at.level, align 4
  %some = add i32 %a, %b
  %all = add i32 %some, %c
  %out = getelementptr i32, ptr %to, i64 %place
  store i32 %all, ptr %out, align 4
  ret void
}
