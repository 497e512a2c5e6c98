; A phi of values that all ways compute alike from one other value is computed where they meet, with the flags that all have. Others stay:
; of different constants, of two values, or where all ways have the same instruction.
; RUN: %opt -passes=warpwise -S %s -o %t.ll && %FileCheck %s <%t.ll
; RUN: %opt -passes=warpwise -disable-output -pass-remarks=warpwise %s 2>&1 | %FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
; RUN: %warpwise simt --compare %s %t.ll --kernel alike --block 64 --arg i32[512]:random:9 --arg i32[512]:zero --arg i32:1
; RUN: %warpwise simt --compare %s %t.ll --kernel alike --block 64 --arg i32[512]:random:9 --arg i32[512]:zero --arg i32:0
; RUN: %warpwise simt --compare %s %t.ll --kernel unlike --block 64 --arg i32[512]:random:9 --arg i32[512]:zero --arg i32:0
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; REMARK: remark: {{.*}} a value that all ways compute alike is computed where they meet, and kept in no register before
; CHECK-LABEL: @alike(
; CHECK: meet:
; CHECK-NOT: phi i64
; CHECK: %[[INDEX:.*]] = add nsw i32 %tid, 384
; CHECK-NEXT: %[[WIDE:.*]] = zext nneg i32 %[[INDEX]] to i64
; CHECK: getelementptr {{.*}}, ptr addrspace(1) %out, i64 %[[WIDE]]
define ptx_kernel void @alike(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %word) {
entry:
  %tid = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %flag = icmp ne i32 %word, 0
  br i1 %flag, label %one, label %other
one:
  %one.index = add nuw nsw i32 %tid, 384
  %one.wide = zext nneg i32 %one.index to i64
  %one.to = getelementptr i32, ptr addrspace(1) %out, i64 %one.wide
  store volatile i32 1, ptr addrspace(1) %one.to
  br label %meet
other:
  %other.index = add nsw i32 %tid, 384
  %other.wide = zext nneg i32 %other.index to i64
  %other.to = getelementptr i32, ptr addrspace(1) %out, i64 %other.wide
  store volatile i32 2, ptr addrspace(1) %other.to
  br label %meet
meet:
  %wide = phi i64 [ %one.wide, %one ], [ %other.wide, %other ]
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %wide
  store i32 3, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: @unlike(
; CHECK: meet:
; CHECK: %index = phi i32
; CHECK: %both = phi i32
; CHECK: %same = phi i32
define ptx_kernel void @unlike(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %word) {
entry:
  %tid = call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %above = add nuw nsw i32 %tid, 2
  %flag = icmp ne i32 %word, 0
  br i1 %flag, label %one, label %other
one:
  %one.index = add nuw nsw i32 %tid, 3
  %one.both = add i32 %tid, %word
  store volatile i32 %one.both, ptr addrspace(1) %out
  br label %meet
other:
  %other.index = add nuw nsw i32 %tid, 4
  %other.both = add i32 %tid, %word
  br label %meet
meet:
  %index = phi i32 [ %one.index, %one ], [ %other.index, %other ]
  %both = phi i32 [ %one.both, %one ], [ %other.both, %other ]
  %same = phi i32 [ %above, %one ], [ %above, %other ]
  %sum = add i32 %both, %same
  %wide = zext nneg i32 %index to i64
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %wide
  store i32 %sum, ptr addrspace(1) %to
  ret void
}
