; The indices of neighbouring accesses are widened as signed numbers, so that the back end puts what they differ by into the
; instruction: a sum that may wrap as an unsigned number is no sum of zero extensions.
; RUN: %opt -passes=warpwise -S %s | %FileCheck %s
; RUN: %opt -passes=warpwise -S %s -o %t.ll && %llc -mcpu=sm_90 -o - %t.ll | %FileCheck %s --check-prefix=PTX
; RUN: %opt -passes=warpwise -disable-output -pass-remarks=warpwise %s 2>&1 | %FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
; RUN: sed 's/^define .*@stencil(.*)/& "warpwise-no-idioms"/' %s | %opt -passes=warpwise -S - | %FileCheck %s --check-prefix=LEFT
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; REMARK: remark: {{.*}} neighbouring accesses share an address: their indices are widened as signed numbers
; CHECK-LABEL: @stencil(
; CHECK-NOT: zext
; CHECK: sext i32 %here to i64
; CHECK: sext i32 %left to i64
; CHECK: sext i32 %right to i64
; CHECK: ret void
; LEFT-LABEL: @stencil(
; LEFT: zext nneg i32 %here
; LEFT: zext nneg i32 %left
; PTX-LABEL: stencil(
; PTX-DAG: ld.global.b32 {{.*}}[[AT:%rd[0-9]+]]];
; PTX-DAG: ld.global.b32 {{.*}}[[AT]]+-4];
; PTX-DAG: ld.global.b32 {{.*}}[[AT]]+4];
; PTX: ret;
define ptx_kernel void @stencil(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %x, i32 %y) {
  %here = add nsw i32 %x, %y
  %here.wide = zext nneg i32 %here to i64
  %here.at = getelementptr inbounds nuw i32, ptr addrspace(1) %in, i64 %here.wide
  %a = load i32, ptr addrspace(1) %here.at, align 4
  %left = add nsw i32 %here, -1
  %left.wide = zext nneg i32 %left to i64
  %left.at = getelementptr inbounds nuw i32, ptr addrspace(1) %in, i64 %left.wide
  %b = load i32, ptr addrspace(1) %left.at, align 4
  %right = add nuw nsw i32 %here, 1
  %right.wide = zext nneg i32 %right to i64
  %right.at = getelementptr inbounds nuw i32, ptr addrspace(1) %in, i64 %right.wide
  %c = load i32, ptr addrspace(1) %right.at, align 4
  %ab = add i32 %a, %b
  %abc = add i32 %ab, %c
  store i32 %abc, ptr addrspace(1) %out, align 4
  ret void
}

; one access; the same place twice; sums that the back end splits anyway; another array; another block; a sum that may wrap
; as a signed number; a value that may be negative: as they were
; CHECK-LABEL: @others(
; CHECK-NOT: sext
; CHECK: ret void
define ptx_kernel void @others(ptr addrspace(1) %in, ptr addrspace(1) %other, ptr addrspace(1) %out, i32 %x, i32 %y, i32 %z, i32 %v, i32 %w) {
  %left = add nsw i32 %x, -1
  %left.wide = zext nneg i32 %left to i64
  %left.at = getelementptr inbounds nuw i32, ptr addrspace(1) %in, i64 %left.wide
  store i32 1, ptr addrspace(1) %left.at, align 4
  %again = getelementptr inbounds nuw i32, ptr addrspace(1) %in, i64 %left.wide
  store i32 2, ptr addrspace(1) %again, align 4
  %x.wide = zext nneg i32 %x to i64
  %x.at = getelementptr inbounds nuw i32, ptr addrspace(1) %other, i64 %x.wide
  store i32 3, ptr addrspace(1) %x.at, align 4
  %y.wide = zext nneg i32 %y to i64
  %y.at = getelementptr inbounds nuw i32, ptr addrspace(1) %in, i64 %y.wide
  store i32 4, ptr addrspace(1) %y.at, align 4
  %right = add nuw nsw i32 %y, 1
  %right.wide = zext nneg i32 %right to i64
  %right.at = getelementptr inbounds nuw i32, ptr addrspace(1) %in, i64 %right.wide
  store i32 5, ptr addrspace(1) %right.at, align 4
  %z.wide = zext nneg i32 %z to i64
  %z.at = getelementptr inbounds nuw i32, ptr addrspace(1) %in, i64 %z.wide
  store i32 6, ptr addrspace(1) %z.at, align 4
  %wraps = add i32 %z, -1
  %wraps.wide = zext nneg i32 %wraps to i64
  %wraps.at = getelementptr inbounds nuw i32, ptr addrspace(1) %in, i64 %wraps.wide
  store i32 7, ptr addrspace(1) %wraps.at, align 4
  %v.wide = zext i32 %v to i64
  %v.at = getelementptr inbounds nuw i32, ptr addrspace(1) %in, i64 %v.wide
  store i32 8, ptr addrspace(1) %v.at, align 4
  %below = add nsw i32 %v, -1
  %below.wide = zext i32 %below to i64
  %below.at = getelementptr inbounds nuw i32, ptr addrspace(1) %in, i64 %below.wide
  store i32 9, ptr addrspace(1) %below.at, align 4
  %w.wide = zext nneg i32 %w to i64
  %w.at = getelementptr inbounds nuw i32, ptr addrspace(1) %in, i64 %w.wide
  store i32 10, ptr addrspace(1) %w.at, align 4
  br label %next
next:
  %apart = add nsw i32 %w, -1
  %apart.wide = zext nneg i32 %apart to i64
  %apart.at = getelementptr inbounds nuw i32, ptr addrspace(1) %in, i64 %apart.wide
  store i32 11, ptr addrspace(1) %apart.at, align 4
  ret void
}
