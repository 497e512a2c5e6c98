; What stands behind a constant offset: the next element, or bytes from a pointer, and never the pointer itself.
;
; RUN: %opt -passes=warpwise-remarks -pass-remarks-analysis=warpwise -disable-output %s 2>&1 | %FileCheck %s

; CHECK: branch diverges: `threadIdx.x < row[blockIdx.x + 1]`
; CHECK: branch diverges: `threadIdx.x < *(row + 8 bytes)`
; CHECK: branch diverges: `threadIdx.x < (row + 12 bytes)[blockIdx.x]`
; CHECK: branch diverges: `threadIdx.x < *(&row[blockIdx.x] + 2 bytes)`

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %row) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %i = zext nneg i32 %b to i64
  %at = getelementptr inbounds i32, ptr %row, i64 %i
  %next = getelementptr inbounds i8, ptr %at, i64 4
  %end = load i32, ptr %next
  %inside = icmp ult i32 %t, %end
  br i1 %inside, label %a, label %c
a:
  %third = getelementptr inbounds i8, ptr %row, i64 8
  %n = load i32, ptr %third
  %small = icmp ult i32 %t, %n
  br i1 %small, label %d, label %c
d:
  %fourth = getelementptr inbounds i8, ptr %row, i64 12
  %el = getelementptr inbounds [3 x i32], ptr %fourth, i64 %i
  %m = load i32, ptr %el
  %less = icmp ult i32 %t, %m
  br i1 %less, label %e, label %c
e:
  %inner = getelementptr inbounds i8, ptr %at, i64 2
  %h = load i32, ptr %inner
  %below = icmp ult i32 %t, %h
  br i1 %below, label %g, label %c
g:
  br label %c
c:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
