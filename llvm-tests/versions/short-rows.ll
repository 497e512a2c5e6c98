; A branch on a row splits warps only in blocks whose rows are short: there is a version for blocks of at most 16 threads in x and of
; 32 threads or more, and only in it the branch is melded. In the table: facts 6 (blockDim.x <= 16) and 4 (at least 32 threads).
; RUN: %opt -passes='fuse-branches<versions>' -verify-each -pass-remarks=warpwise -pass-remarks-missed=warpwise -S %s -o %t.ll 2>%t.remarks
; RUN: %FileCheck %s < %t.ll
; RUN: %FileCheck %s --check-prefix=REMARK < %t.remarks
; RUN: %warpwise simt --compare %s %t.ll --block 16,16 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75
; RUN: %warpwise simt %t.ll --block 16,16 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75 | %FileCheck %s --check-prefix=RAN
; RUN: %warpwise simt --compare %s %t.ll --block 8,4 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75
; RUN: %warpwise simt %t.ll --block 8,4 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75 | %FileCheck %s --check-prefix=RAN
; RUN: %warpwise simt --compare %s %t.ll --block 8,3 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75
; RUN: %warpwise simt %t.ll --block 8,3 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75 | %FileCheck %s --check-prefix=ITSELF
; RUN: %warpwise simt --compare %s %t.ll --block 1,33 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75
; RUN: %warpwise simt %t.ll --block 1,33 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75 | %FileCheck %s --check-prefix=RAN
; RUN: %warpwise simt --compare %s %t.ll --block 16,1 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75
; RUN: %warpwise simt %t.ll --block 16,1 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75 | %FileCheck %s --check-prefix=ITSELF
; RUN: %warpwise simt --compare %s %t.ll --block 17,2 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75
; RUN: %warpwise simt %t.ll --block 17,2 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75 | %FileCheck %s --check-prefix=ITSELF
; RUN: %warpwise simt --compare %s %t.ll --block 32,8 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75
; RUN: %warpwise simt %t.ll --block 32,8 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75 | %FileCheck %s --check-prefix=ITSELF
; RUN: %warpwise simt --compare %s %t.ll --block 32 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75
; RUN: %warpwise simt %t.ll --block 32 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75 | %FileCheck %s --check-prefix=ITSELF
; RUN: %warpwise simt %t.ll --block 4,4,4 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75 | %FileCheck %s --check-prefix=RAN
; RAN: version kernel$v1 ran
; ITSELF-NOT: version

target triple = "nvptx64-nvidia-cuda"

; REMARK: version kernel$v1 for launches in which blockDim.x <= 16 and a block has at least 32 threads: {{[0-9]+}} more instructions, 228 cycles of a warp saved
; REMARK: divergent branch not fused: it depends on threadIdx.y or z only
; REMARK: divergent branch fused

; CHECK: @"kernel$versions" = dso_local addrspace(1) constant [15 x i64] [i64 3544424463788888663, i64 1, i64 2, i64 0, i64 0, i64 1, i64 1, i64 6, i64 0, i64 0, i64 16, i64 4, i64 32, i64 0, i64 0], align 8
; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: br i1
; CHECK-LABEL: define ptx_kernel void @"kernel$v1"(
; CHECK-NOT: br i1
; CHECK: ret void
; CHECK: "warpwise-version"="2,0,0,1,1,6,0,0,16,4,32,0,0"
define ptx_kernel void @kernel(ptr %a, ptr %b, float %f0, float %f1) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %width = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %above = mul i32 %row, %width
  %at = add i32 %above, %t
  %wide = zext i32 %at to i64
  %odd = and i32 %row, 1
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
  %y.1 = fdiv float %y.0, %f0
  %y.2 = fdiv float %y.1, %f1
  %y.3 = fdiv float %y.2, %f0
  %y.4 = fdiv float %y.3, %f1
  %y.5 = fdiv float %y.4, %f0
  %y.6 = fdiv float %y.5, %f1
  store float %y.6, ptr %y.at, align 4
  br label %done

done:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()

attributes #0 = { "target-cpu"="sm_90" }
