; A loop whose trip count the launch states, and whose loads or divisions do not depend on each other, is unrolled by four,
; with a loop for the remainder. What the source or LLVM has decided stays: a pragma, a small constant trip count. These loops
; end if their condition holds; a short one that goes on then is unrolled by ptxas (no-unroll.ll).
; On by default, off with the map.
; RUN: %opt -passes=unroll-loops,verify -S %s | %FileCheck %s
; RUN: %opt -passes='warpwise<unroll>' -S %s | %FileCheck %s
; RUN: %opt -warpwise-unroll -passes='warpwise' -S %s | %FileCheck %s
; RUN: %opt -passes='warpwise' -S %s | %FileCheck %s
; RUN: %opt -warpwise-unroll=0 -passes='warpwise' -S %s | %FileCheck %s --check-prefix=OFF
; RUN: %opt -passes='warpwise<map>' -S %s | %FileCheck %s --check-prefix=OFF
; RUN: %opt -passes=unroll-loops -disable-output -pass-remarks=warpwise -pass-remarks-missed=warpwise %s 2>&1 | %FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
; RUN: %opt -passes='unroll-loops<limit=0>' -S -pass-remarks-missed=warpwise %s 2>&1 | %FileCheck %s --check-prefixes=LIMIT,OFF
; RUN: %opt -passes=unroll-loops -S %s -o %t.ll
; RUN: %warpwise simt --compare %s %t.ll --kernel columns --block 32 --arg i32[1024]:random:9 --arg i32[64]:zero --arg i32:16
; RUN: %warpwise simt --compare %s %t.ll --kernel columns --block 32 --arg i32[1024]:random:9 --arg i32[64]:zero --arg i32:7
; RUN: %warpwise simt --compare %s %t.ll --kernel columns --block 32 --arg i32[1024]:random:9 --arg i32[64]:zero --arg i32:1
; RUN: %warpwise simt --compare %s %t.ll --kernel columns --block 32 --arg i32[1024]:random:9 --arg i32[64]:zero --arg i32:-5
; RUN: %warpwise simt --compare %s %t.ll --kernel sum --block 1 --arg f32[32]:random:9 --arg f32[1]:zero --arg i32:4
; RUN: %warpwise simt --compare %s %t.ll --kernel sum --block 1 --arg f32[32]:random:9 --arg f32[1]:zero --arg i32:0
; RUN: %warpwise simt --compare %s %t.ll --kernel sum --block 1 --arg f32[32]:random:9 --arg f32[1]:zero --arg i32:31
; RUN: %opt -passes='warpwise<tune>' -S %s | %FileCheck %s --check-prefix=TUNE
; TUNE: define ptx_kernel void @"columns$t1"(
; TUNE-COUNT-4: load i32
; LIMIT: plan 1 of unroll-loops in kernel sum: loop of {{.*}}; left out, the limit is 0
; REMARK: remark: {{.*}} loop of 6 instructions unrolled by 4: 1 load of an iteration can overlap with those of others (not measured)
; REMARK: remark: {{.*}} loop of 8 instructions unrolled by 4: 1 load of an iteration can overlap with those of others (not measured)
; REMARK: remark: {{.*}} loop of 7 instructions unrolled by 4: 1 load and 1 slow computation of an iteration can overlap with those of others (not measured)
; REMARK: remark: {{.*}} loop of 6 instructions unrolled by 4: 1 slow computation of an iteration can overlap with those of others (not measured)
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
done:
  %all = phi float [ 0.0, %entry ], [ %more, %loop ]
  store float %all, ptr addrspace(1) %out
  ret void
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %at = getelementptr float, ptr addrspace(1) %in, i32 %i
  %x = load float, ptr addrspace(1) %at
  %more = fadd float %sum, %x
  %next = add nuw nsw i32 %i, 1
  %ends = icmp sge i32 %next, %n
  br i1 %ends, label %done, label %loop
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
; LLVM decides about small constant trip counts
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
  %again = icmp slt i32 %next, 12
  br i1 %again, label %loop, label %done
done:
  store float %more, ptr addrspace(1) %out
  ret void
}

; each lane has a column of its own, in a loop that strides over the grid
; CHECK-LABEL: @columns(
; CHECK-COUNT-4: load i32
define ptx_kernel void @columns(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %threads = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %blocks = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %step = mul i32 %threads, %blocks
  br label %outer
outer:
  %column = phi i32 [ %tid, %entry ], [ %column.next, %latch ]
  br label %loop
latch:
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %column
  store i32 %more, ptr addrspace(1) %to
  %column.next = add i32 %column, %step
  %column.again = icmp slt i32 %column.next, 64
  br i1 %column.again, label %outer, label %done
done:
  ret void
loop:
  %i = phi i32 [ 0, %outer ], [ %next, %loop ]
  %sum = phi i32 [ 0, %outer ], [ %more, %loop ]
  %row = shl nuw nsw i32 %i, 6
  %place = add i32 %row, %column
  %at = getelementptr i32, ptr addrspace(1) %in, i32 %place
  %x = load i32, ptr addrspace(1) %at
  %more = add i32 %sum, %x
  %next = add nuw nsw i32 %i, 1
  %ends = icmp sge i32 %next, %n
  br i1 %ends, label %latch, label %loop
}

; the trip count is a member of a structure passed by value
; CHECK-LABEL: @member(
; CHECK-COUNT-4: fdiv float
define ptx_kernel void @member(ptr addrspace(1) %in, ptr addrspace(1) %out, ptr byval({ i32, i32 }) readonly %by) {
entry:
  %place = getelementptr i8, ptr %by, i64 4
  %n = load i32, ptr %place
  br label %loop
done:
  store float %more, ptr addrspace(1) %out
  ret void
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %at = getelementptr float, ptr addrspace(1) %in, i32 %i
  %x = load float, ptr addrspace(1) %at
  %y = fdiv float 1.0, %x
  %more = fadd float %sum, %y
  %next = add nuw nsw i32 %i, 1
  %ends = icmp sge i32 %next, %n
  br i1 %ends, label %done, label %loop
}

; nothing is loaded
; CHECK-LABEL: @slow(
; CHECK-COUNT-4: fdiv float
define ptx_kernel void @slow(ptr addrspace(1) %out, i32 %n, float %x) {
entry:
  br label %loop
done:
  store float %more, ptr addrspace(1) %out
  ret void
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %f = uitofp i32 %i to float
  %y = fdiv float %f, %x
  %more = fadd float %sum, %y
  %next = add nuw nsw i32 %i, 1
  %ends = icmp sge i32 %next, %n
  br i1 %ends, label %done, label %loop
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
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
