; Ways that load become selects, too: the loads stay behind a guard, where the same lanes execute them.
; RUN: %opt -S -passes='fuse-branches<always>' -verify-each -pass-remarks=warpwise %s 2>%t | %FileCheck %s
; RUN: %FileCheck --check-prefix=REMARK %s < %t

target triple = "nvptx64-nvidia-cuda"

; REMARK: 3 ways, 8 instructions, 5 selects, loads behind 1 guard; they cost {{[0-9]+}} cycles, a warp that splits pays 52 for the branches and a load
; REMARK: 3 ways, 5 instructions, 2 selects, loads behind 2 guards; they cost {{[0-9]+}} cycles, a warp that splits pays 52 for the branches and a load
; REMARK: 3 ways, 6 instructions, 2 selects, loads behind 1 guard; they cost {{[0-9]+}} cycles, a warp that splits pays 32 for the branches{{$}}

; A merge of two sorted lists that adds weights.
define ptx_kernel void @merge(ptr %list, ptr %weights, ptr %out, i32 %n) {
; CHECK-LABEL: define ptx_kernel void @merge(
; CHECK: %same = icmp eq i32 %x, %y
; CHECK-NEXT: %pw = getelementptr
; CHECK-NEXT: br i1 %same, label %[[GUARD:.*]], label %[[NEXT:.*]]
; CHECK: [[GUARD]]:
; CHECK-NEXT: %w = load float, ptr %pw
; CHECK-NEXT: br label %[[NEXT]]
; CHECK: [[NEXT]]:
; CHECK-NEXT: [[W:%.*]] = phi float [ %w, %[[GUARD]] ], [ 0.000000e+00, %loop ]
; CHECK: %sum.w = fadd float %sum, [[W]]
; CHECK: select i1 %same, float %sum.w, float %sum
; CHECK: br label %latch
; CHECK: latch:
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %i = phi i32 [ %t, %entry ], [ %i.next, %latch ]
  %j = phi i32 [ 0, %entry ], [ %j.next, %latch ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %latch ]
  %px = getelementptr i32, ptr %list, i32 %i
  %x = load i32, ptr %px
  %py = getelementptr i32, ptr %list, i32 %j
  %y = load i32, ptr %py
  %same = icmp eq i32 %x, %y
  br i1 %same, label %both, label %differ

both:
  %pw = getelementptr float, ptr %weights, i32 %x
  %w = load float, ptr %pw
  %sum.w = fadd float %sum, %w
  %i0 = add nsw i32 %i, 1
  %j0 = add nsw i32 %j, 1
  br label %latch

differ:
  %less = icmp slt i32 %x, %y
  br i1 %less, label %left, label %right

left:
  %i1 = add nsw i32 %i, 1
  br label %latch

right:
  %j1 = add nsw i32 %j, 1
  br label %latch

latch:
  %i.next = phi i32 [ %i0, %both ], [ %i1, %left ], [ %i, %right ]
  %j.next = phi i32 [ %j0, %both ], [ %j, %left ], [ %j1, %right ]
  %sum.next = phi float [ %sum.w, %both ], [ %sum, %left ], [ %sum, %right ]
  %more = icmp slt i32 %j.next, %n
  br i1 %more, label %loop, label %end

end:
  %po = getelementptr float, ptr %out, i32 %t
  store float %sum.next, ptr %po
  ret void
}

; Two ways load from different memory. The inner condition is poison for lanes that do not come to it.
define ptx_kernel void @near_or_far(ptr addrspace(3) %near, ptr %far, ptr %limits, ptr %out, i32 %n) {
; CHECK-LABEL: define ptx_kernel void @near_or_far(
; CHECK: %is.near = icmp slt i32 %t, %limit
; CHECK: [[FIRST:%.*]] = select i1 %inside, i1 %is.near, i1 false
; CHECK-NEXT: br i1 [[FIRST]], label %[[A:.*]], label %[[NEXTA:.*]]
; CHECK: [[A]]:
; CHECK-NEXT: load float
; CHECK-NEXT: br label %[[NEXTA]]
; CHECK: [[SECOND:%.*]] = select i1 %inside, i1 {{%.*}}, i1 false
; CHECK-NEXT: br i1 [[SECOND]], label %[[B:.*]], label %[[NEXTB:.*]]
; CHECK: [[B]]:
; CHECK-NEXT: load float
; CHECK-NEXT: br label %[[NEXTB]]
; CHECK: [[IN:%.*]] = select i1 %is.near, float
; CHECK-NEXT: select i1 %inside, float [[IN]], float %sum
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %latch ]
  %pl = getelementptr i32, ptr %limits, i32 %t
  %limit = load i32, ptr %pl
  %pn = getelementptr float, ptr addrspace(3) %near, i32 %i
  %pf = getelementptr float, ptr %far, i32 %i
  %inside = icmp slt i32 %limit, 100
  br i1 %inside, label %in, label %latch

in:
  %is.near = icmp slt i32 %t, %limit
  br i1 %is.near, label %one, label %other

one:
  %v = load float, ptr addrspace(3) %pn
  %sum.v = fadd float %sum, %v
  br label %latch

other:
  %u = load float, ptr %pf
  %sum.u = fadd float %sum, %u
  br label %latch

latch:
  %sum.next = phi float [ %sum, %loop ], [ %sum.v, %one ], [ %sum.u, %other ]
  %i.next = add i32 %i, 1
  %more = icmp slt i32 %i.next, %n
  br i1 %more, label %loop, label %end

end:
  %po = getelementptr float, ptr %out, i32 %t
  store float %sum.next, ptr %po
  ret void
}

; if (x < 0 || table[x] > 5) n++; else if (x == 3) n--: a block that two ways lead to, and a condition that is loaded.
define ptx_kernel void @either(ptr %data, ptr %table, ptr %out, i32 %n) {
; CHECK-LABEL: define ptx_kernel void @either(
; CHECK: br i1 {{%.*}}, label %[[GUARD:.*]], label %[[NEXT:.*]]
; CHECK: [[GUARD]]:
; CHECK-NEXT: %entry.x = load i32
; CHECK-NEXT: br label %[[NEXT]]
; CHECK: [[NEXT]]:
; CHECK-NEXT: phi i32 [ %entry.x, %[[GUARD]] ], [ 0, %loop ]
; CHECK-NOT: br i1
; CHECK: latch:
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %count = phi i32 [ 0, %entry ], [ %count.next, %latch ]
  %place = add i32 %t, %i
  %px = getelementptr i32, ptr %data, i32 %place
  %x = load i32, ptr %px
  %pt = getelementptr i32, ptr %table, i32 %x
  %negative = icmp slt i32 %x, 0
  br i1 %negative, label %more, label %look

look:
  %entry.x = load i32, ptr %pt
  %large = icmp sgt i32 %entry.x, 5
  br i1 %large, label %more, label %no

more:
  %count.more = add i32 %count, 1
  br label %latch

no:
  %three = icmp eq i32 %x, 3
  %count.less = sub i32 %count, 1
  %count.no = select i1 %three, i32 %count.less, i32 %count
  br label %latch

latch:
  %count.next = phi i32 [ %count.more, %more ], [ %count.no, %no ]
  %i.next = add i32 %i, 1
  %again = icmp slt i32 %i.next, %n
  br i1 %again, label %loop, label %end

end:
  %po = getelementptr i32, ptr %out, i32 %t
  store i32 %count.next, ptr %po
  ret void
}

