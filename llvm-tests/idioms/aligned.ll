; Stack objects of words, of 16 bytes and multiples, are aligned to as many, and so are their accesses, which the back end makes one.
; RUN: %opt -passes=warpwise -S %s | %FileCheck %s
; RUN: %opt -passes=warpwise -warpwise-off -S %s | %FileCheck %s --check-prefix=OFF
; RUN: sed 's/^define .*)/& "warpwise-no-idioms"/' %s | %opt -passes=warpwise -S - | %FileCheck %s --check-prefix=OFF
; RUN: %opt -passes=warpwise -S %s -o %t.ll && %llc -mcpu=sm_90 -o - %t.ll | %FileCheck %s --check-prefix=PTX
; RUN: %warpwise simt --compare %s %t.ll --block 4 --arg i32[8]:zero
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; CHECK-LABEL: @pairs(
; CHECK: %whole = alloca [4 x i32], align 16
; CHECK: %odd = alloca [5 x i32], align 4
; CHECK: %bytes = alloca [16 x i8], align 1
; CHECK: %aligned = alloca [32 x i8], align 32
; CHECK: store i32 %tid, ptr %whole, align 16
; CHECK: store i32 %uni, ptr %second, align 4
; CHECK: store volatile i32 %tid, ptr %odd, align 4
; OFF: %whole = alloca [4 x i32], align 4
; PTX: st.local.v4.b32
define ptx_kernel void @pairs(ptr addrspace(1) %out) "warpwise-no-steer" {
  %whole = alloca [4 x i32], align 4
  %odd = alloca [5 x i32], align 4
  %bytes = alloca [16 x i8], align 1
  %aligned = alloca [32 x i8], align 32
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %uni = mul i32 %tid, 3
  %second = getelementptr inbounds i32, ptr %whole, i64 1
  %third = getelementptr inbounds i32, ptr %whole, i64 2
  %fourth = getelementptr inbounds i32, ptr %whole, i64 3
  store i32 %tid, ptr %whole, align 4
  store i32 %uni, ptr %second, align 4
  store i32 %tid, ptr %third, align 4
  store i32 %uni, ptr %fourth, align 4
  store volatile i32 %tid, ptr %odd, align 4
  store volatile i8 1, ptr %aligned, align 1
  store volatile i8 1, ptr %bytes, align 1
  %which = and i32 %tid, 3
  %wide = zext i32 %which to i64
  %at = getelementptr i32, ptr %whole, i64 %wide
  %back = load i32, ptr %at, align 4
  %place = zext i32 %tid to i64
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %place
  store i32 %back, ptr addrspace(1) %to, align 4
  ret void
}
