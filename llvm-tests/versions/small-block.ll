; A comparison with a limit splits one warp of a block: few of them in a large block, and many in a small one, for which there is a version.
; In the table: fact 3 (at most 64 threads).
; RUN: %opt -passes='fuse-branches<versions>' -verify-each -pass-remarks=warpwise -pass-remarks-missed=warpwise -S %s -o %t.ll 2>%t.remarks
; RUN: %FileCheck %s < %t.ll
; RUN: %FileCheck %s --check-prefix=REMARK < %t.remarks
; RUN: %warpwise simt --compare %s %t.ll --block 64 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75
; RUN: %warpwise simt %t.ll --block 64 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75 | %FileCheck %s --check-prefix=RAN
; RUN: %warpwise simt --compare %s %t.ll --block 1 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75
; RUN: %warpwise simt %t.ll --block 1 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75 | %FileCheck %s --check-prefix=RAN
; RUN: %warpwise simt --compare %s %t.ll --block 31 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75
; RUN: %warpwise simt %t.ll --block 31 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75 | %FileCheck %s --check-prefix=RAN
; RUN: %warpwise simt --compare %s %t.ll --block 33,1 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75
; RUN: %warpwise simt %t.ll --block 33,1 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75 | %FileCheck %s --check-prefix=RAN
; RUN: %warpwise simt --compare %s %t.ll --block 65 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75
; RUN: %warpwise simt %t.ll --block 65 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75 | %FileCheck %s --check-prefix=ITSELF
; RUN: %warpwise simt --compare %s %t.ll --block 16,16 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75
; RUN: %warpwise simt %t.ll --block 16,16 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75 | %FileCheck %s --check-prefix=ITSELF
; RUN: %warpwise simt --compare %s %t.ll --block 1024 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75
; RUN: %warpwise simt %t.ll --block 1024 --arg f32[1024]:random:1 --arg f32[1024]:random:2 --arg f32:3.5 --arg f32:0.75 | %FileCheck %s --check-prefix=ITSELF
; RAN: version kernel$v1 ran
; ITSELF-NOT: version

target triple = "nvptx64-nvidia-cuda"

; REMARK: version kernel$v1 for launches in which a block has at most 64 threads: {{[0-9]+}} more instructions, {{[0-9]+}} cycles of a warp saved
; REMARK: divergent branch not fused: it is assumed to split 12 % of the warps
; REMARK: divergent branch fused

; CHECK: @"kernel$versions" = dso_local addrspace(1) constant [11 x i64] [i64 3544424463788888663, i64 1, i64 1, i64 0, i64 0, i64 1, i64 1, i64 3, i64 64, i64 0, i64 0], align 8
; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: br i1
; CHECK-LABEL: define ptx_kernel void @"kernel$v1"(
; CHECK-NOT: br i1
define ptx_kernel void @kernel(ptr %a, ptr %b, float %f0, float %f1) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %width = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %above = mul i32 %row, %width
  %at = add i32 %above, %t
  %wide = zext i32 %at to i64
  %is = icmp ult i32 %t, 40
  br i1 %is, label %yes, label %no

yes:
  %x.at = getelementptr float, ptr %a, i64 %wide
  %x.0 = load float, ptr %x.at, align 4
  %x.1 = fdiv float %x.0, %f0
  %x.2 = fdiv float %x.1, %f1
  store float %x.2, ptr %x.at, align 4
  br label %done

no:
  %y.at = getelementptr float, ptr %b, i64 %wide
  %y.0 = load float, ptr %y.at, align 4
  %y.1 = fdiv float %y.0, %f1
  %y.2 = fdiv float %y.1, %f0
  store float %y.2, ptr %y.at, align 4
  br label %done

done:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()

attributes #0 = { "target-cpu"="sm_90" }
