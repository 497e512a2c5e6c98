; Trees of short branches in a loop become selects: a merge of two sorted lists, and counters chosen by a switch.
; RUN: %opt -S -passes='fuse-branches' -verify-each -pass-remarks=warpwise %s 2>%t | %FileCheck %s
; RUN: %FileCheck --check-prefix=REMARK %s < %t

target triple = "nvptx64-nvidia-cuda"

; REMARK: divergent branches converted to selects: 3 ways, 6 instructions, 5 selects; they cost {{[0-9]+}} cycles, a warp that splits pays 32 for the branches
; REMARK: divergent branches converted to selects: 4 ways, 6 instructions, 3 selects; they cost {{[0-9]+}} cycles, a warp that splits pays 48 for the branches

define ptx_kernel void @merge(ptr %list, ptr %out, i32 %n) {
; CHECK-LABEL: define ptx_kernel void @merge(
; CHECK: loop:
; CHECK: %same = icmp eq i32 %x, %y
; CHECK-NOT: br
; CHECK: %less = icmp slt i32 %x, %y
; CHECK-NOT: br
; CHECK: [[INNER:%.*]] = select i1 %less, i32 %i1, i32 %i
; CHECK: select i1 %same, i32 %i0, i32 [[INNER]]
; CHECK: br label %latch
; CHECK: latch:
; CHECK-NEXT: phi i32 [ {{%.*}}, %loop ]
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %i = phi i32 [ %t, %entry ], [ %i.next, %latch ]
  %j = phi i32 [ 0, %entry ], [ %j.next, %latch ]
  %found = phi i32 [ 0, %entry ], [ %found.next, %latch ]
  %px = getelementptr i32, ptr %list, i32 %i
  %x = load i32, ptr %px
  %py = getelementptr i32, ptr %list, i32 %j
  %y = load i32, ptr %py
  %same = icmp eq i32 %x, %y
  br i1 %same, label %both, label %differ

both:
  %found.one = add i32 %found, 1
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
  %found.next = phi i32 [ %found.one, %both ], [ %found, %left ], [ %found, %right ]
  %more = icmp slt i32 %j.next, %n
  br i1 %more, label %loop, label %end

end:
  %po = getelementptr i32, ptr %out, i32 %t
  store i32 %found.next, ptr %po
  ret void
}

define ptx_kernel void @count(ptr %data, ptr %out, i32 %n) {
; CHECK-LABEL: define ptx_kernel void @count(
; CHECK: loop:
; CHECK: [[A:%.*]] = icmp eq i8 %c, 48
; CHECK: [[B:%.*]] = icmp eq i8 %c, 49
; CHECK: [[C:%.*]] = icmp eq i8 %c, 50
; CHECK: select i1 [[A]], i32 %a1, i32 %a
; CHECK: select i1 [[B]], i32 %b1, i32 %b
; CHECK: select i1 [[C]], i32 %d1, i32 %d
; CHECK: br label %latch
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %a = phi i32 [ 0, %entry ], [ %a.next, %latch ]
  %b = phi i32 [ 0, %entry ], [ %b.next, %latch ]
  %d = phi i32 [ 0, %entry ], [ %d.next, %latch ]
  %place = add i32 %t, %i
  %pc = getelementptr i8, ptr %data, i32 %place
  %c = load i8, ptr %pc
  switch i8 %c, label %latch [
    i8 48, label %zero
    i8 49, label %one
    i8 50, label %two
  ]

zero:
  %a1 = add i32 %a, 1
  br label %latch

one:
  %b1 = add i32 %b, 1
  br label %latch

two:
  %d1 = add i32 %d, 1
  br label %latch

latch:
  %a.next = phi i32 [ %a, %loop ], [ %a1, %zero ], [ %a, %one ], [ %a, %two ]
  %b.next = phi i32 [ %b, %loop ], [ %b, %zero ], [ %b1, %one ], [ %b, %two ]
  %d.next = phi i32 [ %d, %loop ], [ %d, %zero ], [ %d, %one ], [ %d1, %two ]
  %i.next = add i32 %i, 1
  %more = icmp slt i32 %i.next, %n
  br i1 %more, label %loop, label %end

end:
  %s = add i32 %a.next, %b.next
  %p = mul i32 %s, %d.next
  %po = getelementptr i32, ptr %out, i32 %t
  store i32 %p, ptr %po
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
