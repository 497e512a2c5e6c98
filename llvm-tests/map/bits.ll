; Branches outside loops share a register, a bit a count; a loop of a hundred iterations is counted in bytes and needs no
; look at its counts.
; RUN: %opt -passes='divergence-map<name=t>' -S %s | %FileCheck %s
; RUN: %opt -passes='divergence-map<name=t>' -S %s -o %t.ll
; RUN: %warpwise simt %t.ll --block 50 --arg 'i32[64]:zero' --arg i32:3 --recount | %FileCheck %s --check-prefix=RECOUNT
; RUN: %warpwise simt --compare %s %t.ll --block 50 --arg 'i32[64]:zero' --arg i32:3 | %FileCheck %s --check-prefix=SAME

; CHECK-LABEL: define ptx_kernel void @k
; CHECK: asm sideeffect "{{.*}}@l add.u32 $0, $0, 1;{{.*}}", "=r,0,b,r"
; CHECK: loop:
; CHECK-NOT: icmp ugt
; CHECK: asm sideeffect "{{.*}}@l add.u32 $0, $0, 1;{{.*}}add.u32 $0, $0, 65536;{{.*}}", "=r,0,b,r"
; CHECK: asm sideeffect "{{.*}}or.pred q, $2, $3;{{.*}}@!q activemask.b32 b;{{.*}}@l add.u32 $0, $0, 16;{{.*}}", "=r,0,b,b,r"
; CHECK: asm sideeffect "{{.*}}shfl.sync.bfly.b32 x, y, 16, 31, 0xffffffff;{{.*}}PART:{{.*}}@p bra BIT;{{.*}}END:
; RECOUNT: 3 branches were counted as the machine saw them
; SAME: equal under the lockstep scheduler

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %out, i32 %t
  %c = icmp ult i32 %t, 20
  br i1 %c, label %loop, label %other
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %next = add i32 %i, 1
  %odd = icmp ult i32 %i, %t
  br i1 %odd, label %more, label %latch
more:
  store volatile i32 1, ptr %p
  br label %latch
latch:
  %again = icmp ne i32 %next, 100
  br i1 %again, label %loop, label %other
other:
  %kind = and i32 %t, 3
  switch i32 %kind, label %end [
    i32 1, label %one
    i32 2, label %two
  ]
one:
  store volatile i32 2, ptr %p
  br label %end
two:
  store volatile i32 3, ptr %p
  br label %end
end:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
