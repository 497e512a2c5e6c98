; A kernel tests at its entry under which conditions its divergent branches would be uniform, and the map says in how many
; launches they held: limits that are computed, members of structures, rows and multiples. What cannot be repeated at the
; entry without risk (a division by an argument) is named and not tested.
; RUN: %opt -passes='divergence-map<name=t>' -S %s -o %t.ll
; RUN: %FileCheck %s < %t.ll
; RUN: %warpwise simt %t.ll -k limits --grid 2 --block 64 -a 'i32[160]:zero' -a i32:192 -a 'bytes:000000000000000084000000000000000000000000000000' -a i32:1 --recount --save-map %t.held | %FileCheck %s --check-prefix=RECOUNT
; RUN: %warpwise map show %t.held | %FileCheck %s --check-prefix=HELD
; RUN: %warpwise map json %t.held | %FileCheck %s --check-prefix=JSON
; RUN: %warpwise simt %t.ll -k limits --grid 2 --block 64 -a 'i32[160]:zero' -a i32:191 -a 'bytes:000000000000000083000000000000000000000000000000' -a i32:1 --recount --save-map %t.failed | %FileCheck %s --check-prefix=RECOUNT
; RUN: %warpwise map show %t.failed | %FileCheck %s --check-prefix=FAILED
; A condition must hold in every launch.
; RUN: %warpwise map merge %t.held %t.failed -o %t.both
; RUN: %warpwise map show %t.both | %FileCheck %s --check-prefix=FAILED
; RUN: %warpwise simt %t.ll -k rows --block 64,2 -a 'i32[128]:zero' -a i32:64 --recount --save-map %t.rows | %FileCheck %s --check-prefix=ROWS
; RUN: %warpwise map show %t.rows | %FileCheck %s --check-prefix=WHOLE
; RUN: %warpwise simt %t.ll -k rows --block 33,2 -a 'i32[128]:zero' -a i32:64 --recount --save-map %t.short | %FileCheck %s --check-prefix=ROWS
; RUN: %warpwise map show %t.short | %FileCheck %s --check-prefix=SHORT
; The machine says the same of the module without counters, and knows the uniform branch besides.
; RUN: %warpwise simt %s -k limits --grid 2 --block 64 -a 'i32[160]:zero' -a i32:192 -a 'bytes:000000000000000084000000000000000000000000000000' -a i32:1 --save-map %t.seen
; RUN: %warpwise map show %t.seen | %FileCheck %s --check-prefix=SEEN
; RUN: %warpwise simt %s -k rows --block 33,2 -a 'i32[128]:zero' -a i32:64 --save-map %t.rows.seen
; RUN: %warpwise map json %t.rows.seen | %FileCheck %s --check-prefix=SHAPE
; RUN: %warpwise simt --compare %s %t.ll -k limits --grid 2 --block 50 -a 'i32[160]:zero' -a i32:99 -a 'bytes:000000000000000084000000000000000000000000000000' -a i32:0 | %FileCheck %s --check-prefix=SAME

; CHECK-LABEL: define ptx_kernel void @limits
; CHECK: call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
; CHECK-NOT: udiv i32 %n, %d
; CHECK: getelementptr i8, ptr %s, i64 8
; CHECK-NEXT: load i64, ptr %{{[0-9]+}}, align 8
; CHECK: asm sideeffect "{{.*}}setp.ne.u32 q, y, 0;{{.*}}@q red.global.add.u64 [$1+$4], w;{{.*}}@q red.global.add.u64 [$1+$6], w;{{.*}}", "=&r,l,n,r,n,n,n,~{memory}"
; CHECK: udiv i32 %n, %d
; RECOUNT: 3 branches were counted as the machine saw them
; HELD: counted branches: 3 executed, 3 called divergent, 3 of these never split (100.0 %); uniform by a condition that held in every launch: 2, which leaves 1 of 1 (100.0 %)
; SEEN: counted branches: 4 executed, 3 called divergent, 3 of these never split (100.0 %); uniform by a condition that held in every launch: 2, which leaves 1 of 1 (100.0 %)
; FAILED: counted branches: 3 executed, 3 called divergent, 1 of these never split (33.3 %); uniform by a condition that held in every launch: 0, which leaves 1 of 3 (33.3 %)
; ROWS: 2 branches were counted as the machine saw them
; WHOLE: counted branches: 2 executed, 2 called divergent, 2 of these never split (100.0 %); uniform by a condition that held in every launch: 2, which leaves 0 of 0 (0.0 %)
; SHORT: counted branches: 2 executed, 2 called divergent, 1 of these never split (50.0 %); uniform by a condition that held in every launch: 1, which leaves 0 of 1 (0.0 %)
; SHAPE: "left": 0,
; SHAPE: "text": "blockDim.x is a multiple of 32"
; SHAPE: "held": 0,
; SHAPE: "text": "the block has one dimension"
; SHAPE: "held": 0,
; SHAPE: "text": "blockDim.x <= n"
; SHAPE: "held": 1,
; SHAPE: "text": "blockDim.x and n are multiples of 32"
; SAME: equal under the lockstep scheduler

; JSON: "precision": {
; JSON-NEXT: "executed": 3,
; JSON-NEXT: "divergent": 3,
; JSON-NEXT: "never_split": 3,
; JSON-NEXT: "never_split_share": 1.0,
; JSON-NEXT: "uniform_as_launched": 2,
; JSON-NEXT: "left": 1,
; JSON-NEXT: "left_share": 1.0,
; JSON-NEXT: "split_against_condition": 0

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.s = type { i64, i64, i32 }

define ptx_kernel void @limits(ptr %out, i32 %n, ptr readonly byval(%struct.s) align 8 %s, i32 %d) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %w = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %first = mul i32 %b, %w
  %i = add i32 %first, %t
  %p = getelementptr i32, ptr %out, i32 %i
  ; no index of the launch reaches any of the limits
  %more = add i32 %n, -64
  %c = icmp slt i32 %i, %more
  br i1 %c, label %a, label %inside
a:
  store volatile i32 1, ptr %p
  br label %inside
inside:
  %m.p = getelementptr inbounds i8, ptr %s, i64 8
  %m = load i64, ptr %m.p, align 8
  %wide = sext i32 %i to i64
  %past = add nsw i64 %wide, 4
  %c2 = icmp slt i64 %past, %m
  br i1 %c2, label %a2, label %computed
a2:
  store volatile i32 2, ptr %p
  br label %computed
computed:
  %is.zero = icmp eq i32 %d, 0
  br i1 %is.zero, label %end, label %divides
divides:
  %q = udiv i32 %n, %d
  %c3 = icmp ult i32 %i, %q
  br i1 %c3, label %a3, label %end
a3:
  store volatile i32 3, ptr %p
  br label %end
end:
  ret void
}

define ptx_kernel void @rows(ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %p = getelementptr i32, ptr %out, i32 %t
  %group = lshr i32 %t, 5
  %c = icmp eq i32 %group, 1
  br i1 %c, label %a, label %next
a:
  store volatile i32 1, ptr %p
  br label %next
next:
  %c2 = icmp ult i32 %t, %n
  br i1 %c2, label %a2, label %end
a2:
  store volatile i32 2, ptr %p
  br label %end
end:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
