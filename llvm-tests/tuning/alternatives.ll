; A kernel to be measured stays as it is and gets alternatives: what the models make of it, what refusals by cost forbid,
; and the version that the host could launch. Each is in the table by its name. What comes out equal is left out, and so
; are the variables made for it. All compute the same.
; RUN: %opt -passes='warpwise<tune>' -verify-each -pass-remarks=warpwise -S %s -o %t.ll 2>%t.remarks
; RUN: %FileCheck %s < %t.ll
; RUN: %FileCheck %s --check-prefix=REMARK < %t.remarks
; RUN: %opt -warpwise-tune -passes=warpwise -S %s | %FileCheck %s
; RUN: %llc -mcpu=sm_90 %t.ll -o - | %FileCheck %s --check-prefix=PTX
; RUN: %warpwise simt --compare %s %t.ll --alternative 1 --kernel array --block 64 --arg i32[1024]:random:4 --arg i32[1024]:zero
; RUN: %warpwise simt %t.ll --alternative 1 --kernel array --block 64 --arg i32[1024]:random:4 --arg i32[1024]:zero | %FileCheck %s --check-prefix=RAN
; RUN: %warpwise simt %t.ll --alternative 1 --kernel array --block 31 --arg i32[1024]:random:4 --arg i32[1024]:zero | %FileCheck %s --check-prefix=ITSELF
; RUN: %warpwise simt %t.ll --kernel array --block 64 --arg i32[1024]:random:4 --arg i32[1024]:zero | %FileCheck %s --check-prefix=ITSELF

target triple = "nvptx64-nvidia-cuda"

; REMARK: to be measured in the program: plain, version (code {{[0-9a-f]+}})
; REMARK: to be measured in the program: plain, fuse (code {{[0-9a-f]+}})
; REMARK-NOT: measured

; RAN: version array$t1 ran
; ITSELF-NOT: version

; PTX: .visible .global .align 8 .b8 array$tuning[
; PTX: .visible .global .align 8 .b8 sides$tuning[
; PTX: .visible .entry array(
; PTX: .visible .entry array$t1(
; PTX: .visible .entry sides$t1(

; CHECK-NOT: = internal
; one alternative: its name in two words, one fact, 3072 bytes for each warp
; CHECK: @"array$tuning" = dso_local addrspace(1) constant [8 x i64] [i64 3616466703519864663, i64 {{-?[0-9]+}}, i64 1, i64 31084746137298294, i64 0, i64 3072, i64 16, i64 1], align 8
; CHECK: @"sides$tuning" = dso_local addrspace(1) constant [8 x i64]
; CHECK-NOT: $tuning
; CHECK-NOT: $try

; CHECK: define ptx_kernel void @array(
; CHECK-NEXT: %array = alloca [24 x i32]
define ptx_kernel void @array(ptr %in, ptr %out) #0 {
  %array = alloca [24 x i32], align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %from = getelementptr i32, ptr %in, i64 %wide
  %div.k = load i32, ptr %from, align 4
  %index = and i32 %div.k, 15
  %element = getelementptr inbounds i32, ptr %array, i32 %index
  store i32 %div.k, ptr %element, align 4
  %next = xor i32 %index, 1
  %beside = getelementptr inbounds i32, ptr %array, i32 %next
  store i32 %tid, ptr %beside, align 4
  %value = load i32, ptr %element, align 4
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %value, ptr %to, align 4
  ret void
}

; fusing does not pay by the model
; CHECK: define ptx_kernel void @sides(
; CHECK: yes:
; CHECK: no:
define ptx_kernel void @sides(ptr %in, ptr %out, <8 x i32> %v, <8 x i32> %w, i32 %n) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %yes, label %no

yes:
  %q = udiv i32 %t, %n
  store <8 x i32> %v, ptr %in, align 32
  br label %join

no:
  %s = udiv i32 %t, %n
  store <8 x i32> %w, ptr %out, align 32
  br label %join

join:
  %r = phi i32 [ 1, %yes ], [ 2, %no ]
  store i32 %r, ptr %out, align 4
  ret void
}

; nothing has an opinion about it
; CHECK: define ptx_kernel void @straight(
define ptx_kernel void @straight(ptr %out) #0 {
  store i32 1, ptr %out, align 4
  ret void
}

; CHECK: define ptx_kernel void @"array$t1"(
; CHECK-NOT: alloca
; CHECK: ret void
; CHECK: define ptx_kernel void @"sides$t1"(
; CHECK-NOT: yes:
; CHECK: ret void

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" }
