; A kernel that calls a function gets no bound on its block: where functions are compiled apart, ptxas refuses a bound that
; leaves fewer registers than one of them takes. One that calls nobody and counts in registers gets it.
; RUN: %opt -passes='divergence-map<name=t>' -S %s | %FileCheck %s
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK: define ptx_kernel void @calls(ptr %out) {
define ptx_kernel void @calls(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %next, %t
  br i1 %more, label %loop, label %end
end:
  %r = call i32 @heavy(i32 %next)
  store i32 %r, ptr %out
  ret void
}

; CHECK: define ptx_kernel void @alone(ptr %out) [[BOUND:#[0-9]+]] {
define ptx_kernel void @alone(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %next, %t
  br i1 %more, label %loop, label %end
end:
  store i32 %next, ptr %out
  ret void
}
; CHECK: attributes [[BOUND]] = { "nvvm.maxntid"="1024" }

declare i32 @heavy(i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
