; Rows of sixteen are enumerated; with rows of 32 lanes have one distance. A counter of a loop that lanes leave in different
; turns has none, and no remark.
; RUN: %opt -passes='warpwise-remarks<optimal>' -pass-remarks-analysis=warpwise -disable-output %s 2>&1 | %FileCheck %s --implicit-check-not=apart
; CHECK: lanes apart by more than one distance: 4 sectors per request, the fewest
; CHECK: lanes 4 bytes apart: 4 sectors per request, the fewest
target datalayout = "e-p6:32:32-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @sixteen(ptr %p) "nvvm.reqntid"="16,16" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %w = mul nuw nsw i32 %y, 64
  %g = add nuw nsw i32 %w, %t
  %i = zext nneg i32 %g to i64
  %a = getelementptr inbounds float, ptr %p, i64 %i
  %v = load float, ptr %a
  ret void
}
define ptx_kernel void @thirty_two(ptr %p) "nvvm.reqntid"="32,8" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %w = mul nuw nsw i32 %y, 64
  %g = add nuw nsw i32 %w, %t
  %i = zext nneg i32 %g to i64
  %a = getelementptr inbounds float, ptr %p, i64 %i
  %v = load float, ptr %a
  ret void
}
define ptx_kernel void @left_apart(ptr %p) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %next, %t
  br i1 %more, label %loop, label %done
done:
  %i = zext nneg i32 %next to i64
  %a = getelementptr inbounds float, ptr %p, i64 %i
  store float 0.0, ptr %a
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
