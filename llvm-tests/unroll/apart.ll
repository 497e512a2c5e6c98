; A loop within another whose count the launch states gets a body of its own for fewer than eight iterations: LLVM's copies would not
; be executed, and what remains would run one by one.
; RUN: %opt -passes=unroll-whole -S %s | %FileCheck %s
; RUN: %opt -passes=unroll-whole -disable-output -pass-remarks=warpwise %s 2>&1 | %FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
; RUN: %opt -passes='unroll-whole,function(loop-unroll)' -S %s -o %t.ll
; RUN: %warpwise simt --compare %s %t.ll --kernel rows --block 32 --arg i32[640]:random:9 --arg i32:1 --arg i32:4 --arg i32[32]:zero
; RUN: %warpwise simt --compare %s %t.ll --kernel rows --block 32 --arg i32[640]:random:9 --arg i32:7 --arg i32:4 --arg i32[32]:zero
; RUN: %warpwise simt --compare %s %t.ll --kernel rows --block 32 --arg i32[640]:random:9 --arg i32:8 --arg i32:4 --arg i32[32]:zero
; RUN: %warpwise simt --compare %s %t.ll --kernel rows --block 32 --arg i32[640]:random:9 --arg i32:21 --arg i32:4 --arg i32[32]:zero
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; REMARK: remark: {{.*}} loop of 7 instructions has a body of its own for fewer than 8 iterations, unrolled by 4, with what remains
; CHECK-LABEL: @rows(
; CHECK: [[FEW:%.*]] = icmp ult i32 %n{{.*}}, 8
; CHECK-NEXT: br i1 [[FEW]], label %rows.split.few, label %loop
; CHECK-COUNT-4: load i32, ptr addrspace(1) %at.few
; CHECK: loop:
; CHECK: load i32, ptr addrspace(1) %at,
; CHECK: icmp eq i32 %next, %n
; CHECK: load i32, ptr addrspace(1) %at.few.epil
define ptx_kernel void @rows(ptr addrspace(1) %in, i32 %n, i32 %m, ptr addrspace(1) %out) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %any = icmp sgt i32 %n, 0
  br i1 %any, label %rows, label %done
rows:
  %row = phi i32 [ 0, %entry ], [ %below, %last ]
  %start = phi i32 [ 0, %entry ], [ %more, %last ]
  %first = mul i32 %row, %n
  br label %loop
loop:
  %i = phi i32 [ 0, %rows ], [ %next, %loop ]
  %sum = phi i32 [ %start, %rows ], [ %more, %loop ]
  %index = add nsw i32 %first, %i
  %at = getelementptr i32, ptr addrspace(1) %in, i32 %index
  %x = load i32, ptr addrspace(1) %at
  %more = add i32 %sum, %x
  %next = add nuw nsw i32 %i, 1
  %ends = icmp eq i32 %next, %n
  br i1 %ends, label %last, label %loop
last:
  %below = add nuw nsw i32 %row, 1
  %all = icmp eq i32 %below, %m
  br i1 %all, label %done, label %rows
done:
  %total = phi i32 [ 0, %entry ], [ %more, %last ]
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %tid
  store i32 %total, ptr addrspace(1) %to
  ret void
}

; neighbours are not known to be beside each other: the index may wrap before it is widened
; CHECK-LABEL: @wraps(
; CHECK-COUNT-1: load i32
; CHECK-NOT: load i32
define ptx_kernel void @wraps(ptr addrspace(1) %in, i32 %n, i32 %m, ptr addrspace(1) %out) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %any = icmp sgt i32 %n, 0
  br i1 %any, label %rows, label %done
rows:
  %row = phi i32 [ 0, %entry ], [ %below, %last ]
  %start = phi i32 [ 0, %entry ], [ %more, %last ]
  %first = mul i32 %row, %n
  br label %loop
loop:
  %i = phi i32 [ 0, %rows ], [ %next, %loop ]
  %sum = phi i32 [ %start, %rows ], [ %more, %loop ]
  %index = add i32 %first, %i
  %wide = zext i32 %index to i64
  %at = getelementptr i32, ptr addrspace(1) %in, i64 %wide
  %x = load i32, ptr addrspace(1) %at
  %more = add i32 %sum, %x
  %next = add nuw nsw i32 %i, 1
  %ends = icmp eq i32 %next, %n
  br i1 %ends, label %last, label %loop
last:
  %below = add nuw nsw i32 %row, 1
  %all = icmp eq i32 %below, %m
  br i1 %all, label %done, label %rows
done:
  %total = phi i32 [ 0, %entry ], [ %more, %last ]
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %tid
  store i32 %total, ptr addrspace(1) %to
  ret void
}

; in kernels of several loops, all their copies need registers
; CHECK-LABEL: @both(
; CHECK-COUNT-2: load i32
; CHECK-NOT: load i32
define ptx_kernel void @both(ptr addrspace(1) %in, i32 %n, i32 %m, ptr addrspace(1) %out) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %any = icmp sgt i32 %n, 0
  br i1 %any, label %rows, label %done
rows:
  %row = phi i32 [ 0, %entry ], [ %below, %below.it ]
  %start = phi i32 [ 0, %entry ], [ %then, %below.it ]
  %first = mul i32 %row, %n
  br label %loop
loop:
  %i = phi i32 [ 0, %rows ], [ %next, %loop ]
  %sum = phi i32 [ %start, %rows ], [ %more, %loop ]
  %index = add nsw i32 %first, %i
  %at = getelementptr i32, ptr addrspace(1) %in, i32 %index
  %x = load i32, ptr addrspace(1) %at
  %more = add i32 %sum, %x
  %next = add nuw nsw i32 %i, 1
  %ends = icmp eq i32 %next, %n
  br i1 %ends, label %last, label %loop
last:
  br label %again
again:
  %j = phi i32 [ 0, %last ], [ %after, %again ]
  %so.far = phi i32 [ %more, %last ], [ %then, %again ]
  %from = getelementptr i32, ptr addrspace(1) %in, i32 %j
  %y = load i32, ptr addrspace(1) %from
  %then = xor i32 %so.far, %y
  %after = add nuw nsw i32 %j, 1
  %stops = icmp eq i32 %after, %n
  br i1 %stops, label %below.it, label %again
below.it:
  %below = add nuw nsw i32 %row, 1
  %all = icmp eq i32 %below, %m
  br i1 %all, label %done, label %rows
done:
  %total = phi i32 [ 0, %entry ], [ %then, %below.it ]
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %tid
  store i32 %total, ptr addrspace(1) %to
  ret void
}
