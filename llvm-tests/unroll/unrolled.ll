; A loop of unknown, uniform trip count whose loads do not depend on each other is unrolled by four, with a loop for the
; remainder. What the source or LLVM has decided stays: a pragma, a constant trip count. Off by default.
; RUN: %opt -passes=unroll-loops,verify -S %s | %FileCheck %s
; RUN: %opt -passes='warpwise<unroll>' -S %s | %FileCheck %s
; RUN: %opt -warpwise-unroll -passes='warpwise' -S %s | %FileCheck %s
; RUN: %opt -passes='warpwise' -S %s | %FileCheck %s --check-prefix=OFF
; RUN: %opt -passes=unroll-loops -disable-output -pass-remarks=warpwise -pass-remarks-missed=warpwise %s 2>&1 | %FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
; RUN: %opt -passes='unroll-loops<limit=0>' -S -pass-remarks-missed=warpwise %s 2>&1 | %FileCheck %s --check-prefixes=LIMIT,OFF
; RUN: %opt -passes=unroll-loops -S %s -o %t.ll
; RUN: %warpwise simt --compare %s %t.ll --kernel strided --block 64 --arg i32[1024]:random:9 --arg i32[128]:zero --arg i32:1021
; RUN: %warpwise simt --compare %s %t.ll --kernel strided --block 64 --arg i32[1024]:random:9 --arg i32[128]:zero --arg i32:257
; RUN: %warpwise simt --compare %s %t.ll --kernel strided --block 64 --arg i32[1024]:random:9 --arg i32[128]:zero --arg i32:1
; RUN: %warpwise simt --compare %s %t.ll --kernel strided --block 64 --arg i32[1024]:random:9 --arg i32[128]:zero --arg i32:-5
; RUN: %warpwise simt --compare %s %t.ll --kernel sum --block 1 --arg f32[32]:random:9 --arg f32[1]:zero --arg i32:4
; RUN: %warpwise simt --compare %s %t.ll --kernel sum --block 1 --arg f32[32]:random:9 --arg f32[1]:zero --arg i32:0
; RUN: %warpwise simt --compare %s %t.ll --kernel sum --block 1 --arg f32[32]:random:9 --arg f32[1]:zero --arg i32:31
; RUN: %opt -passes='warpwise<tune>' -S %s | %FileCheck %s --check-prefix=TUNE
; TUNE: define ptx_kernel void @"strided$t1"(
; TUNE-COUNT-4: load i32
; LIMIT: plan 1 of unroll-loops in kernel sum: loop unrolled; left out, the limit is 0
; REMARK: remark: {{.*}} loop of 6 instructions unrolled by 4: 1 load of an iteration can overlap with those of others (not measured)
; REMARK: remark: {{.*}} loop of 6 instructions unrolled by 4: 1 load of an iteration can overlap with those of others (not measured)
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: @sum(
; CHECK-COUNT-4: load float
; CHECK: {{llvm.loop|br}}
; OFF-LABEL: @sum(
; OFF-COUNT-1: load float
; OFF-NOT: load float
; OFF-LABEL: @pragma(
define ptx_kernel void @sum(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %loop, label %done
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %at = getelementptr float, ptr addrspace(1) %in, i32 %i
  %x = load float, ptr addrspace(1) %at
  %more = fadd float %sum, %x
  %next = add nuw nsw i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %done
done:
  %all = phi float [ 0.0, %entry ], [ %more, %loop ]
  store float %all, ptr addrspace(1) %out
  ret void
}

; CHECK-LABEL: @pragma(
; CHECK: load float
; CHECK-NOT: load float
; CHECK-LABEL: @constant(
define ptx_kernel void @pragma(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %at = getelementptr float, ptr addrspace(1) %in, i32 %i
  %x = load float, ptr addrspace(1) %at
  %more = fadd float %sum, %x
  %next = add nuw nsw i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %done, !llvm.loop !0
done:
  store float %more, ptr addrspace(1) %out
  ret void
}

; CHECK: load float
; CHECK-NOT: load float
; the remainder of a constant trip count is no question
define ptx_kernel void @constant(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %at = getelementptr float, ptr addrspace(1) %in, i32 %i
  %x = load float, ptr addrspace(1) %at
  %more = fadd float %sum, %x
  %next = add nuw nsw i32 %i, 1
  %again = icmp slt i32 %next, 1000
  br i1 %again, label %loop, label %done
done:
  store float %more, ptr addrspace(1) %out
  ret void
}

; lanes begin one after the other and step over each other
; CHECK-LABEL: @strided(
; CHECK-COUNT-4: load i32
define ptx_kernel void @strided(ptr %in, ptr %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %threads = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  br label %loop
loop:
  %i = phi i32 [ %tid, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %at = getelementptr i32, ptr %in, i32 %i
  %x = load i32, ptr %at
  %more = add i32 %sum, %x
  %next = add i32 %i, %threads
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %done
done:
  %to = getelementptr i32, ptr %out, i32 %tid
  store i32 %more, ptr %to
  ret void
}

; CHECK-LABEL: @off(
; CHECK: load float
; CHECK-NOT: load float
define ptx_kernel void @off(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) "warpwise-no-unroll" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %at = getelementptr float, ptr addrspace(1) %in, i32 %i
  %x = load float, ptr addrspace(1) %at
  %more = fadd float %sum, %x
  %next = add nuw nsw i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %done
done:
  store float %more, ptr addrspace(1) %out
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
