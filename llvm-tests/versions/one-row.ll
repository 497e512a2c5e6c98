; A branch that is uniform only in blocks of one dimension: its version is for those. In the table: facts 2, blockDim.y = 1 and blockDim.z = 1.
; RUN: %opt -passes='fuse-branches<versions>' -verify-each -pass-remarks=warpwise -pass-remarks-missed=warpwise -S %s -o %t.ll 2>%t.remarks
; RUN: %FileCheck %s < %t.ll
; RUN: %FileCheck %s --check-prefix=REMARK < %t.remarks
; RUN: %warpwise simt --compare %s %t.ll --block 256 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75
; RUN: %warpwise simt %t.ll --block 256 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75 | %FileCheck %s --check-prefix=RAN
; RUN: %warpwise simt --compare %s %t.ll --block 1 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75
; RUN: %warpwise simt %t.ll --block 1 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75 | %FileCheck %s --check-prefix=RAN
; RUN: %warpwise simt --compare %s %t.ll --block 31 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75
; RUN: %warpwise simt %t.ll --block 31 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75 | %FileCheck %s --check-prefix=RAN
; RUN: %warpwise simt --compare %s %t.ll --block 33 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75
; RUN: %warpwise simt %t.ll --block 33 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75 | %FileCheck %s --check-prefix=RAN
; RUN: %warpwise simt --compare %s %t.ll --block 1024 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75
; RUN: %warpwise simt %t.ll --block 1024 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75 | %FileCheck %s --check-prefix=RAN
; RUN: %warpwise simt --compare %s %t.ll --block 32,2 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75
; RUN: %warpwise simt %t.ll --block 32,2 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75 | %FileCheck %s --check-prefix=ITSELF
; RUN: %warpwise simt --compare %s %t.ll --block 16,16 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75
; RUN: %warpwise simt %t.ll --block 16,16 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75 | %FileCheck %s --check-prefix=ITSELF
; RUN: %warpwise simt %t.ll --block 32,1,2 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75 | %FileCheck %s --check-prefix=ITSELF
; RAN: version kernel$v1 ran
; ITSELF-NOT: version

target triple = "nvptx64-nvidia-cuda"

; REMARK: version kernel$v1 for launches in which blockDim.y = 1 and blockDim.z = 1: {{[0-9]+}} more instructions, {{[0-9]+}} cycles of a warp saved
; REMARK: divergent branch fused
; REMARK-NOT: divergent branch

; CHECK: @"kernel$versions" = dso_local addrspace(1) constant [15 x i64] [i64 3544424463788888663, i64 1, i64 2, i64 0, i64 0, i64 1, i64 1, i64 2, i64 1, i64 1, i64 0, i64 2, i64 2, i64 1, i64 0], align 8
; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK-NOT: br i1
; CHECK-LABEL: define ptx_kernel void @"kernel$v1"(
; CHECK: br i1
define ptx_kernel void @kernel(ptr %a, ptr %b, float %f0, float %f1) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %width = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %above = mul i32 %row, %width
  %at = add i32 %above, %t
  %wide = zext i32 %at to i64
  %both = add i32 %t, %row
  %warp = lshr i32 %both, 5
  %odd = and i32 %warp, 1
  %is = icmp eq i32 %odd, 0
  br i1 %is, label %yes, label %no

yes:
  %x.at = getelementptr float, ptr %a, i64 %wide
  %x.0 = load float, ptr %x.at, align 4
  %x.1 = fdiv float %x.0, %f0
  %x.2 = fdiv float %x.1, %f1
  %x.3 = fdiv float %x.2, %f0
  %x.4 = fdiv float %x.3, %f1
  %x.5 = fdiv float %x.4, %f0
  %x.6 = fdiv float %x.5, %f1
  store float %x.6, ptr %x.at, align 4
  br label %done

no:
  %y.at = getelementptr float, ptr %b, i64 %wide
  %y.0 = load float, ptr %y.at, align 4
  %y.1 = fdiv float %y.0, %f1
  %y.2 = fdiv float %y.1, %f0
  %y.3 = fdiv float %y.2, %f1
  %y.4 = fdiv float %y.3, %f0
  %y.5 = fdiv float %y.4, %f1
  %y.6 = fdiv float %y.5, %f0
  store float %y.6, ptr %y.at, align 4
  br label %done

done:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()

attributes #0 = { "target-cpu"="sm_90" }
