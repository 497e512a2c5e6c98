; Before compute capability 8.0 there is no redux: every lane adds its own counts.
; RUN: %opt -passes='divergence-map<name=t>' -S %s -o %t.ll
; RUN: %FileCheck %s < %t.ll
; RUN: %warpwise simt %t.ll --block 50 --arg 'i32[64]:zero' --recount | %FileCheck %s --check-prefix=RECOUNT

; CHECK-NOT: redux
; CHECK: asm sideeffect "{{.*}}vote.sync.ballot.b32 x, p, m;{{.*}}red.global.add.u64 [a+
; RECOUNT: 1 branches were counted as the machine saw them

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %out) "target-cpu"="sm_70" "nvvm.maxntid"="64" {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %t
  br i1 %more, label %loop, label %after
after:
  %p = getelementptr i32, ptr %out, i32 %t
  store i32 %next, ptr %p
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
