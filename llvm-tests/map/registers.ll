; A branch in a loop is counted in registers: nothing is added to memory before the lane returns.
; RUN: %opt -passes='divergence-map<name=t>' -S %s | %FileCheck %s
; RUN: %opt -passes='divergence-map<name=t>' -S %s -o %t.ll
; RUN: %warpwise simt %t.ll --block 50 --arg 'i32[64]:zero' --recount | %FileCheck %s --check-prefix=RECOUNT
; RUN: %opt -passes='divergence-map<name=t;flush-after=2>' -S %s -o %t.2.ll
; RUN: %warpwise simt %t.2.ll --block 50 --arg 'i32[64]:zero' --recount | %FileCheck %s --check-prefix=RECOUNT
; RUN: %warpwise simt --compare %s %t.2.ll --block 50 --arg 'i32[64]:zero' | %FileCheck %s --check-prefix=SAME

; A kernel that states no bound gets one: more registers must not make a launch fail.
; CHECK: define ptx_kernel void @k(ptr %out) #[[BOUND:[0-9]+]]
; Nothing bounds the loop, so lanes look whether a count is about to overflow.
; CHECK: loop:
; CHECK: asm sideeffect "{{.*}}mov.b32 x, $2;\0Aand.b32 x, x, 2147483648;\0Asetp.eq.u32 p, x, 0;\0A@p bra END;{{.*}}red.global.add.u64 [a+32], w;{{.*}}mov.u32 $3, 0;\0AEND:\0A}", "=r,=r,=r,=r,0,1,2,3,l,~{memory}"
; CHECK: asm sideeffect "{{.*}}activemask.b32 m;\0A@$8 activemask.b32 b;\0A@!$8 activemask.b32 b;{{.*}}@l add.u32 $0, $0, 1;{{.*}}", "=r,=r,=r,=r,0,1,2,3,b,r"
; CHECK: br i1 %more, label %loop, label %after
; CHECK: after:
; CHECK: asm sideeffect "{{.*}}vote.sync.ballot.b32 x, p, m;{{.*}}redux.sync.add.u32 s3, x, m;{{.*}}@p red.global.add.u64 [d+32], w;{{.*}}@p bra D0;
; CHECK-NEXT: ret void
; CHECK: attributes #[[BOUND]] = { "nvvm.maxntid"="1024" }
; RECOUNT: 1 branches were counted as the machine saw them
; SAME: equal under the lockstep scheduler

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; no lane of the block stores there; what is loaded is not known to be zero, so the limit is any number
  %last = getelementptr i32, ptr %out, i32 63
  %zero = load i32, ptr %last
  %limit = add i32 %t, %zero
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %limit
  br i1 %more, label %loop, label %after
after:
  %p = getelementptr i32, ptr %out, i32 %t
  store i32 %next, ptr %p
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
