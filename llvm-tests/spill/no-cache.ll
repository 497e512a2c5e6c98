; Shared memory is taken from the first-level cache. An array stays where the loop gathers more than it uses the array; it moves
; where lanes load side by side, and where it is used much more than gathers are made.
; RUN: %opt -passes=steer-spills -verify-each -pass-remarks=warpwise -pass-remarks-missed=warpwise -disable-output %s 2>&1 \
; RUN:   | %FileCheck %s
; RUN: %opt -passes='steer-spills<victims=rare>' -verify-each -pass-remarks=warpwise -disable-output %s 2>&1 \
; RUN:   | %FileCheck --check-prefix=ALL %s

target triple = "nvptx64-nvidia-cuda"

; CHECK:     stack object %gathered{{.*}} stays in local memory{{.*}}: moving it to shared memory (-warpwise-steer=all+rare) would take 156 KB of the first-level cache from lanes that read far apart
; CHECK:     stack object %rows{{.*}} stays in local memory{{.*}}: moving it to shared memory (-warpwise-steer=all+rare) would take 156 KB
; CHECK:     stack object %beside{{.*}} moved from local to shared memory
; CHECK:     stack object %wrapped{{.*}} moved from local to shared memory
; CHECK:     stack object %often{{.*}} moved from local to shared memory
; CHECK-NOT: stack object
; ALL-COUNT-5: moved from local to shared memory

define ptx_kernel void @gathered(ptr %in, ptr %keys, ptr %out, i32 %n) #0 {
entry:
  %gathered = alloca [16 x i32], align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %added, %loop ]
  %from = add i32 %i, %tid
  %key.at = getelementptr i32, ptr %keys, i32 %from
  %key = load i32, ptr %key.at, align 4
  %at.a = getelementptr i32, ptr %in, i32 %key
  %a = load i32, ptr %at.a, align 4
  %at.b = getelementptr i32, ptr %in, i32 %a
  %b = load i32, ptr %at.b, align 4
  %low = and i32 %key, 15
  %slot = getelementptr inbounds i32, ptr %gathered, i32 %low
  %old = load i32, ptr %slot, align 4
  %new = add i32 %old, %b
  store i32 %new, ptr %slot, align 4
  %added = add i32 %sum, %new
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end

end:
  %wide = zext i32 %tid to i64
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %added, ptr %to, align 4
  ret void
}

define ptx_kernel void @rows(ptr %in, ptr %keys, ptr %out, i32 %n) #0 {
entry:
  %rows = alloca [16 x i32], align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %added, %loop ]
  %from = add i32 %i, %tid
  %key.at = getelementptr i32, ptr %keys, i32 %from
  %key = load i32, ptr %key.at, align 4
  %row = mul i32 %tid, %n
  %element = add i32 %row, %i
  %at.a = getelementptr i32, ptr %in, i32 %element
  %a = load i32, ptr %at.a, align 4
  %at.b = getelementptr i32, ptr %out, i32 %element
  %b = load i32, ptr %at.b, align 4
  %low = and i32 %key, 15
  %slot = getelementptr inbounds i32, ptr %rows, i32 %low
  %old = load i32, ptr %slot, align 4
  %new = add i32 %old, %b
  %both = add i32 %new, %a
  store i32 %both, ptr %slot, align 4
  %added = add i32 %sum, %new
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end

end:
  %wide = zext i32 %tid to i64
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %added, ptr %to, align 4
  ret void
}

define ptx_kernel void @beside(ptr %in, ptr %keys, ptr %out, i32 %n) #0 {
entry:
  %beside = alloca [16 x i32], align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %added, %loop ]
  %from = add i32 %i, %tid
  %key.at = getelementptr i32, ptr %keys, i32 %from
  %key = load i32, ptr %key.at, align 4
  %low = and i32 %key, 15
  %slot = getelementptr inbounds i32, ptr %beside, i32 %low
  %old = load i32, ptr %slot, align 4
  %new = add i32 %old, %key
  store i32 %new, ptr %slot, align 4
  %added = add i32 %sum, %new
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end

end:
  %wide = zext i32 %tid to i64
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %added, ptr %to, align 4
  ret void
}

define ptx_kernel void @wrapped(ptr %in, ptr %keys, ptr %out, i32 %n) #0 {
entry:
  %wrapped = alloca [16 x i32], align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %added, %loop ]
  %from = add i32 %i, %tid
  %key.at = getelementptr i32, ptr %keys, i32 %from
  %key = load i32, ptr %key.at, align 4
  %step = mul i32 %i, 77
  %place = add i32 %step, %tid
  %in.table = and i32 %place, 4095
  %at.a = getelementptr i32, ptr %in, i32 %in.table
  %a = load i32, ptr %at.a, align 4
  %low = and i32 %key, 15
  %slot = getelementptr inbounds i32, ptr %wrapped, i32 %low
  %old = load i32, ptr %slot, align 4
  %new = add i32 %old, %a
  store i32 %new, ptr %slot, align 4
  %added = add i32 %sum, %new
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end

end:
  %wide = zext i32 %tid to i64
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %added, ptr %to, align 4
  ret void
}

define ptx_kernel void @often(ptr %in, ptr %keys, ptr %out, i32 %n) #0 {
entry:
  %often = alloca [16 x i32], align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %added, %loop ]
  %from = add i32 %i, %tid
  %key.at = getelementptr i32, ptr %keys, i32 %from
  %key = load i32, ptr %key.at, align 4
  %at.a = getelementptr i32, ptr %in, i32 %key
  %a = load i32, ptr %at.a, align 4
  %low = and i32 %key, 15
  %slot = getelementptr inbounds i32, ptr %often, i32 %low
  %old = load i32, ptr %slot, align 4
  %new = add i32 %old, %a
  store i32 %new, ptr %slot, align 4
  %low.b = and i32 %a, 15
  %slot.b = getelementptr inbounds i32, ptr %often, i32 %low.b
  %old.b = load i32, ptr %slot.b, align 4
  %new.b = add i32 %old.b, %new
  store i32 %new.b, ptr %slot.b, align 4
  %added = add i32 %sum, %new.b
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end

end:
  %wide = zext i32 %tid to i64
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %added, ptr %to, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="256" }
