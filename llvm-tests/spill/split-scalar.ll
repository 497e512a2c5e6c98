; A scalar whose address a phi or select mixes with that of other memory goes to registers: the loads are split.
; RUN: %opt -passes=steer-spills -verify-each -S -pass-remarks=warpwise %s 2>%t | %FileCheck %s
; RUN: %FileCheck --check-prefix=SAID %s < %t
; RUN: %opt -passes='steer-spills,function(sroa)' -S %s | %FileCheck --check-prefix=AFTER %s
; RUN: %opt -passes='steer-spills,function(sroa)' -S %s -o %t.after.ll
; RUN: %warpwise simt --compare %s %t.after.ll -k chosen --grid 2 --block 64 --arg 'i32[128]:iota' --arg 'i32[128]:zero' --arg i32:5

target triple = "nvptx64-nvidia-cuda"

; SAID: stack object %own (i32, 4 bytes) is read together with other memory, through a phi or select of addresses: loads are split, so that it fits registers
; AFTER-LABEL: define ptx_kernel void @chosen
; AFTER-NOT:   alloca
; AFTER:       }

; In a loop, the object is chosen in some iterations, and nothing may be loaded from the other address in others.
; CHECK-LABEL: define ptx_kernel void @chosen
; CHECK:       join:
; CHECK-NEXT:    [[IS:%.*]] = phi i1 [ true, %mine ], [ false, %loop ]
; CHECK-NEXT:    %from = phi ptr [ {{.*}}, %mine ], [ %theirs, %loop ]
; CHECK:       read:
; CHECK-NEXT:    %value = load i32, ptr %from, align 4{{$}}
; CHECK-NEXT:    [[OWN:%.*]] = load i32, ptr %own, align 4
; CHECK-NEXT:    [[BOTH:%.*]] = select i1 [[IS]], i32 [[OWN]], i32 %value
; CHECK-NEXT:    %more = add i32 %sum, [[BOTH]]
define ptx_kernel void @chosen(ptr %in, ptr %out, i32 %n) #0 {
entry:
  %own = alloca i32, align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %sum = phi i32 [ 0, %entry ], [ %after, %latch ]
  %v = mul i32 %i, %tid
  store i32 %v, ptr %own, align 4
  %at = add i32 %i, %tid
  %wide = zext i32 %at to i64
  %theirs = getelementptr i32, ptr %in, i64 %wide
  %odd = and i32 %at, 1
  %is = icmp eq i32 %odd, 0
  br i1 %is, label %mine, label %join
mine:
  br label %join
join:
  %from = phi ptr [ %own, %mine ], [ %theirs, %loop ]
  %far = icmp slt i32 %at, 40
  br i1 %far, label %read, label %latch
read:
  %value = load i32, ptr %from, align 4, !range !0, !noundef !1
  %more = add i32 %sum, %value
  br label %latch
latch:
  %after = phi i32 [ %more, %read ], [ %sum, %join ]
  %next = add i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  %w = zext i32 %tid to i64
  %to = getelementptr i32, ptr %out, i64 %w
  store i32 %after, ptr %to, align 4
  ret void
}

; Selects of selects and a phi that comes back to itself, in a device function.
; CHECK-LABEL: define i64 @selects
; CHECK:       loop:
; CHECK-NEXT:    %i = phi
; CHECK-NEXT:    [[IS:%.*]] = phi i1 [ [[FIRST:%.*]], %entry ], [ [[NEXT:%.*]], %loop ]
; CHECK-NEXT:    %p = phi ptr
; CHECK:         [[NEXT]] = select i1 %stay, i1 [[IS]], i1 false
; AFTER-LABEL: define i64 @selects
; AFTER-NOT:   alloca
define i64 @selects(ptr %a, ptr %b, i64 %n, i1 %c, i1 %d) #1 {
entry:
  %own = alloca i64, align 8
  store i64 %n, ptr %own, align 8
  %q = select i1 %d, ptr %b, ptr %own
  %r = select i1 %c, ptr %q, ptr %a
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = phi ptr [ %r, %entry ], [ %s, %loop ]
  %v = load i64, ptr %p, align 8
  store i64 %v, ptr %own, align 8
  %stay = icmp ugt i64 %v, %i
  %s = select i1 %stay, ptr %p, ptr %b
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret i64 %v
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="256" }
attributes #1 = { "target-cpu"="sm_90" }
!0 = !{i32 0, i32 100}
!1 = !{}
