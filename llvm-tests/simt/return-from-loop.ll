; Some lanes return from inside a loop, the others leave it in different turns: these meet behind it, where they vote, under either
; rule of reconvergence. So they do if all returns are one block.
; DEFINE: %{launch} = --block 32 --arg 'i32[32]:zero'
; RUN: %warpwise simt %s -k apart %{launch} | %FileCheck %s
; RUN: %warpwise simt %s -k apart %{launch} --strict-reconvergence | %FileCheck %s
; RUN: %warpwise simt %s -k apart %{launch} --scheduler independent:1 | %FileCheck %s
; RUN: %warpwise simt %s -k joined %{launch} | %FileCheck %s
; RUN: %warpwise simt %s -k joined %{launch} --strict-reconvergence | %FileCheck %s
; RUN: %warpwise simt %s -k joined %{launch} --scheduler independent:1 | %FileCheck %s
; A side of a branch in such a loop is another matter: who is still in it has not come to the vote.
; RUN: %not %warpwise simt %s -k inside %{launch} --strict-reconvergence 2>&1 | %FileCheck %s --check-prefix=INSIDE
; CHECK: arg 0: i32[32] = 7, 8, 9, 1, 7, 8, 9, 1,
; INSIDE: a .sync operation names lanes 0xffffffff

target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i1 @llvm.nvvm.vote.all.sync(i32, i1)

define ptx_kernel void @apart(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %out, i32 %t
  %turns = and i32 %t, 3
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %more = icmp ult i32 %i, %turns
  br i1 %more, label %body, label %behind
body:
  %third = icmp eq i32 %i, 2
  br i1 %third, label %out.early, label %latch
out.early:
  store i32 1, ptr %p
  ret void
latch:
  %next = add i32 %i, 1
  br label %loop
behind:
  %all = call i1 @llvm.nvvm.vote.all.sync(i32 -1, i1 true)
  %seven = select i1 %all, i32 7, i32 0
  %result = add i32 %i, %seven
  store i32 %result, ptr %p
  ret void
}

define ptx_kernel void @joined(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %out, i32 %t
  %turns = and i32 %t, 3
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %more = icmp ult i32 %i, %turns
  br i1 %more, label %body, label %behind
body:
  %third = icmp eq i32 %i, 2
  br i1 %third, label %return, label %latch
latch:
  %next = add i32 %i, 1
  br label %loop
behind:
  %all = call i1 @llvm.nvvm.vote.all.sync(i32 -1, i1 true)
  %seven = select i1 %all, i32 7, i32 0
  %result = add i32 %i, %seven
  br label %return
return:
  %stored = phi i32 [ 1, %body ], [ %result, %behind ]
  store i32 %stored, ptr %p
  ret void
}

define ptx_kernel void @inside(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %out, i32 %t
  %turns = and i32 %t, 3
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %odd = trunc i32 %t to i1
  br i1 %odd, label %vote, label %latch
vote:
  %all = call i1 @llvm.nvvm.vote.all.sync(i32 -1, i1 true)
  br label %latch
latch:
  %next = add i32 %i, 1
  %more = icmp ule i32 %next, %turns
  br i1 %more, label %loop, label %return
return:
  store i32 %next, ptr %p
  ret void
}
