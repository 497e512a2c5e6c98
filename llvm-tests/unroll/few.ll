; LLVM makes eight copies of a short loop of unknown trip count. Four, with those of what remains, if there are few iterations
; more often than not, since their number is loaded or a share of the block's, or if lanes leave apart.
; RUN: %opt -passes=unroll-whole -S %s | %FileCheck %s
; RUN: %opt -passes=unroll-whole -disable-output -pass-remarks=warpwise %s 2>&1 | %FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
; RUN: %opt -passes='unroll-whole,function(loop-unroll)' -S %s -o %t.ll
; RUN: %FileCheck %s --input-file=%t.ll --check-prefix=REST
; RUN: %warpwise simt --compare %s %t.ll --kernel loaded --block 32 --arg i32[64]:random:9 --arg i32[1]:random:3 --arg i32[32]:zero
; RUN: %warpwise simt --compare %s %t.ll --kernel apart --block 32 --arg i32[64]:random:9 --arg i32[32]:random:3 --arg i32[32]:zero
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; REMARK: remark: {{.*}} loop of 6 instructions unrolled by 4, with what remains
; CHECK-LABEL: @loaded(
; CHECK-COUNT-5: load i32, ptr addrspace(1) %at
; CHECK-NOT: load i32, ptr addrspace(1) %at
; REST-LABEL: @loaded(
; REST-COUNT-7: load i32, ptr addrspace(1) %at
; REST-NOT: load i32, ptr addrspace(1) %at
define ptx_kernel void @loaded(ptr addrspace(1) %in, ptr addrspace(1) %count, ptr addrspace(1) %out) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %loaded = load i32, ptr addrspace(1) %count
  %n = and i32 %loaded, 63
  %any = icmp ne i32 %n, 0
  br i1 %any, label %loop, label %done
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %in, i32 %i
  %x = load i32, ptr addrspace(1) %at
  %more = add i32 %sum, %x
  %next = add nuw nsw i32 %i, 1
  %last = icmp eq i32 %next, %n
  br i1 %last, label %done, label %loop
done:
  %all = phi i32 [ 0, %entry ], [ %more, %loop ]
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %tid
  store i32 %all, ptr addrspace(1) %to
  ret void
}

; REMARK: remark: {{.*}} loop of 6 instructions unrolled by 4, with what remains
; CHECK-LABEL: @apart(
; CHECK-COUNT-5: load i32, ptr addrspace(1) %at
; CHECK-NOT: load i32, ptr addrspace(1) %at
; REST-LABEL: @apart(
; REST-COUNT-7: load i32, ptr addrspace(1) %at
; REST-NOT: load i32, ptr addrspace(1) %at
define ptx_kernel void @apart(ptr addrspace(1) %in, ptr addrspace(1) %count, ptr addrspace(1) %out) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %from = getelementptr i32, ptr addrspace(1) %count, i32 %tid
  %loaded = load i32, ptr addrspace(1) %from
  %n = and i32 %loaded, 63
  %any = icmp ne i32 %n, 0
  br i1 %any, label %loop, label %done
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %in, i32 %i
  %x = load i32, ptr addrspace(1) %at
  %more = add i32 %sum, %x
  %next = add nuw nsw i32 %i, 1
  %last = icmp eq i32 %next, %n
  br i1 %last, label %done, label %loop
done:
  %all = phi i32 [ 0, %entry ], [ %more, %loop ]
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %tid
  store i32 %all, ptr addrspace(1) %to
  ret void
}

; what the launch states is left to LLVM
; CHECK-LABEL: @stated(
; CHECK-COUNT-1: load i32
; CHECK-NOT: load i32
; REST-LABEL: @stated(
define ptx_kernel void @stated(ptr addrspace(1) %in, i32 %n, ptr addrspace(1) %out) {
entry:
  %any = icmp sgt i32 %n, 0
  br i1 %any, label %loop, label %done
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %in, i32 %i
  %x = load i32, ptr addrspace(1) %at
  %more = add i32 %sum, %x
  %next = add nuw nsw i32 %i, 1
  %last = icmp eq i32 %next, %n
  br i1 %last, label %done, label %loop
done:
  %all = phi i32 [ 0, %entry ], [ %more, %loop ]
  store i32 %all, ptr addrspace(1) %out
  ret void
}
