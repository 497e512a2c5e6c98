; A bounds check in a loop is the same for every thread if the launch has no more threads than there is work: there is a version without
; it. In the table: fact 5, gridDim.x * blockDim.x <= argument 2, 32 bits, signed.
; RUN: %opt -passes='fuse-branches<versions>' -verify-each -pass-remarks=warpwise -pass-remarks-missed=warpwise -S %s -o %t.ll 2>%t.remarks
; RUN: %FileCheck %s < %t.ll
; RUN: %FileCheck %s --check-prefix=REMARK < %t.remarks
; RUN: %warpwise simt --compare %s %t.ll --grid 2 --block 64 --arg f32[4096]:random:1 --arg f32[4096]:zero --arg i32:128
; RUN: %warpwise simt %t.ll --grid 2 --block 64 --arg f32[4096]:random:1 --arg f32[4096]:zero --arg i32:128 | %FileCheck %s --check-prefix=RAN
; RUN: %warpwise simt --compare %s %t.ll --grid 2 --block 64 --arg f32[4096]:random:1 --arg f32[4096]:zero --arg i32:127
; RUN: %warpwise simt %t.ll --grid 2 --block 64 --arg f32[4096]:random:1 --arg f32[4096]:zero --arg i32:127 | %FileCheck %s --check-prefix=ITSELF
; RUN: %warpwise simt --compare %s %t.ll --grid 1 --block 31 --arg f32[4096]:random:1 --arg f32[4096]:zero --arg i32:31
; RUN: %warpwise simt %t.ll --grid 1 --block 31 --arg f32[4096]:random:1 --arg f32[4096]:zero --arg i32:31 | %FileCheck %s --check-prefix=RAN
; RUN: %warpwise simt --compare %s %t.ll --grid 3 --block 33 --arg f32[4096]:random:1 --arg f32[4096]:zero --arg i32:98
; RUN: %warpwise simt %t.ll --grid 3 --block 33 --arg f32[4096]:random:1 --arg f32[4096]:zero --arg i32:98 | %FileCheck %s --check-prefix=ITSELF
; RUN: %warpwise simt --compare %s %t.ll --grid 2 --block 1024 --arg f32[4096]:random:1 --arg f32[4096]:zero --arg i32:4000
; RUN: %warpwise simt %t.ll --grid 2 --block 1024 --arg f32[4096]:random:1 --arg f32[4096]:zero --arg i32:4000 | %FileCheck %s --check-prefix=RAN
; RUN: %warpwise simt --compare %s %t.ll --grid 1 --block 1 --arg f32[4096]:random:1 --arg f32[4096]:zero --arg i32:-1
; RUN: %warpwise simt %t.ll --grid 1 --block 1 --arg f32[4096]:random:1 --arg f32[4096]:zero --arg i32:-1 | %FileCheck %s --check-prefix=ITSELF
; RUN: %warpwise simt --compare %s %t.ll --grid 1 --block 1 --arg f32[4096]:random:1 --arg f32[4096]:zero --arg i32:0
; RUN: %warpwise simt %t.ll --grid 1 --block 1 --arg f32[4096]:random:1 --arg f32[4096]:zero --arg i32:0 | %FileCheck %s --check-prefix=ITSELF
; RUN: %warpwise simt --compare %s %t.ll --grid 1 --block 16,2 --arg f32[4096]:random:1 --arg f32[4096]:zero --arg i32:16
; RUN: %warpwise simt %t.ll --grid 1 --block 16,2 --arg f32[4096]:random:1 --arg f32[4096]:zero --arg i32:16 | %FileCheck %s --check-prefix=RAN
; RAN: version kernel$v1 ran
; ITSELF-NOT: version

target triple = "nvptx64-nvidia-cuda"

; REMARK: version kernel$v1 for launches in which gridDim.x * blockDim.x <= argument 2: {{[0-9]+}} more instructions, 1 bounds checks fewer, {{[0-9]+}} cycles of a warp saved of

; CHECK: @"kernel$versions" = dso_local addrspace(1) constant [11 x i64] [i64 3544424463788888663, i64 1, i64 1, i64 0, i64 0, i64 1, i64 1, i64 5, i64 256, i64 0, i64 18874370], align 8
; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: icmp slt i32 %i, %limit
; CHECK-LABEL: define ptx_kernel void @"kernel$v1"(
; CHECK-NOT: icmp slt
define ptx_kernel void @kernel(ptr %in, ptr %out, i32 %limit) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %s = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %first = mul i32 %b, %s
  %i = add i32 %first, %t
  %wide = zext i32 %i to i64
  %from = getelementptr float, ptr %in, i64 %wide
  %to = getelementptr float, ptr %out, i64 %wide
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %next, %latch ]
  %sum = phi float [ 0.0, %entry ], [ %new, %latch ]
  %fits = icmp slt i32 %i, %limit
  br i1 %fits, label %inside, label %latch

inside:
  %x = load volatile float, ptr %from, align 4
  %y = fadd float %sum, %x
  store volatile float %y, ptr %to, align 4
  br label %latch

latch:
  %new = phi float [ %sum, %loop ], [ %y, %inside ]
  %next = add i32 %k, 1
  %more = icmp ult i32 %next, 16
  br i1 %more, label %loop, label %end

end:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()

attributes #0 = { "target-cpu"="sm_90" }
