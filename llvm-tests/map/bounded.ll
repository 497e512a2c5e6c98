; A loop whose variable may not wrap needs no look at its counts; two such loops around each other do, once an iteration of
; the outer one.
; RUN: %opt -passes='divergence-map<name=t>' -S %s | %FileCheck %s
; RUN: %opt -passes='divergence-map<name=t>' -S %s -o %t.ll
; RUN: %warpwise simt %t.ll -k nest --block 50 --arg 'i32[64]:zero' --arg i32:7 --recount | %FileCheck %s --check-prefix=RECOUNT
; RUN: %opt -passes='divergence-map<name=t;flush-after=2>' -S %s -o %t.2.ll
; RUN: %warpwise simt %t.2.ll -k nest --block 50 --arg 'i32[64]:zero' --arg i32:7 --recount | %FileCheck %s --check-prefix=RECOUNT
; RUN: %warpwise simt %t.2.ll -k halves --block 50 --arg 'i32[64]:zero' --arg i32:7 --recount | %FileCheck %s --check-prefix=HALVES

; CHECK-LABEL: define ptx_kernel void @single
; CHECK-NOT: and.b32 x, x, 2147483648
; CHECK: ret void
; CHECK-LABEL: define ptx_kernel void @nest
; CHECK: outer:
; CHECK: asm sideeffect "{{.*}}and.b32 x, x, 2147483648;{{.*}}@p bra END;
; CHECK: inner:
; CHECK-NOT: and.b32 x, x, 2147483648
; CHECK: ret void
; A shifted variable: at most 33 iterations, a byte a count.
; CHECK-LABEL: define ptx_kernel void @halves
; CHECK: loop:
; CHECK-NOT: bra END
; CHECK: asm sideeffect "{{.*}}add.u32 $0, $0, 65536;{{.*}}", "=r,0,b,r"
; RECOUNT: 2 branches were counted as the machine saw them
; HALVES: 1 branches were counted as the machine saw them

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @single(ptr %out, i32 %n) {
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

define ptx_kernel void @nest(ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %out, i32 %t
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i1, %latch ]
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j1, %inner ]
  %j1 = add nuw nsw i32 %j, 1
  %more = icmp slt i32 %j1, %t
  br i1 %more, label %inner, label %latch
latch:
  store i32 %j1, ptr %p
  %i1 = add nuw nsw i32 %i, 1
  %m = add i32 %t, %n
  %again = icmp slt i32 %i1, %m
  br i1 %again, label %outer, label %end
end:
  ret void
}

define ptx_kernel void @halves(ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ %t, %entry ], [ %next, %loop ]
  %next = lshr i32 %i, 1
  %more = icmp ne i32 %next, 0
  br i1 %more, label %loop, label %end
end:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
