; A switch: one word for each target but the default; cases that share a target are one way to go.
; RUN: %opt -passes='divergence-map<name=t>' -S %s -o %t.ll
; RUN: %FileCheck %s < %t.ll
; RUN: %warpwise simt %t.ll --block 50 --arg 'i32[64]:zero' --recount --save-map %t.map | %FileCheck %s --check-prefix=RECOUNT
; RUN: %warpwise map json %t.map | %FileCheck %s --check-prefix=JSON
; RUN: %warpwise simt --compare %s %t.ll --block 50 --arg 'i32[64]:zero' | %FileCheck %s --check-prefix=SAME

; CHECK-COUNT-2: call i32 @llvm.nvvm.vote.ballot.sync
; CHECK-NOT: call i32 @llvm.nvvm.vote.ballot.sync
; RECOUNT: 1 branches were counted as the machine saw them
; JSON: "branches": [
; JSON: "visits": 2,
; JSON-NEXT: "splits": 2,
; JSON: "lanes": 50,
; JSON: "taken": [
; JSON-NEXT: 24,
; JSON-NEXT: 13,
; JSON-NEXT: 13
; SAME: equal under the lockstep scheduler

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %out, i32 %t
  %low = and i32 %t, 3
  switch i32 %low, label %other [ i32 0, label %a
                                  i32 1, label %b
                                  i32 2, label %other ]
a:
  store i32 1, ptr %p
  br label %other
b:
  store i32 2, ptr %p
  br label %other
other:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
