; Lanes that return while others go on to a full-mask shuffle must be gone by then: nothing is left for them to do at the
; return, so the branch in the loop is counted in memory.
; RUN: %opt -passes='divergence-map<name=t>' -S %s -o %t.ll
; RUN: %FileCheck %s < %t.ll
; RUN: %warpwise simt %t.ll --block 50 --arg 'i32[64]:zero' --arg i32:40 --recount | %FileCheck %s --check-prefix=RECOUNT
; RUN: %warpwise simt --compare %s %t.ll --block 50 --arg 'i32[64]:zero' --arg i32:40 | %FileCheck %s --check-prefix=SAME

; CHECK-NOT: warpwise.flush
; RECOUNT: 2 branches were counted as the machine saw them
; SAME: equal under the lockstep scheduler

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp slt i32 %t, %n
  br i1 %in, label %loop, label %end
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %t
  br i1 %more, label %loop, label %after
after:
  %s = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %next, i32 0, i32 31)
  %p = getelementptr i32, ptr %out, i32 %t
  store i32 %s, ptr %p
  br label %end
end:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
