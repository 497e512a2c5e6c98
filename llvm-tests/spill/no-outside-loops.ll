; An array that is used once, behind a loop that loads, stays where it is: the loop wants the first-level cache that
; shared memory would be taken from. Where loops load less than the array is used it moves, as does what loops use.
; RUN: %opt -passes=steer-spills -verify-each -pass-remarks=warpwise -pass-remarks-missed=warpwise -disable-output %s 2>&1 \
; RUN:   | %FileCheck %s
; RUN: %opt -passes='steer-spills<victims=rare>' -verify-each -pass-remarks=warpwise -disable-output %s 2>&1 \
; RUN:   | %FileCheck --check-prefix=ALL %s

target triple = "nvptx64-nvidia-cuda"

; CHECK:     stack object %inside{{.*}} moved from local to shared memory
; CHECK:     stack object %last{{.*}} stays in local memory{{.*}}: it is used outside loops only, and its copies in shared memory would be taken from the first-level cache that loops load through; -warpwise-steer=all+rare moves it anyway
; CHECK:     stack object %alone{{.*}} moved from local to shared memory
; CHECK-NOT: stack object
; ALL-COUNT-3: moved from local to shared memory

define ptx_kernel void @loop(ptr %in, ptr %out, i32 %k, i32 %n) #0 {
entry:
  %last = alloca [12 x i32], align 4
  %inside = alloca [12 x i32], align 4
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %added, %loop ]
  %at = getelementptr i32, ptr %in, i32 %i
  %read = load i32, ptr %at, align 4
  %low = and i32 %read, 3
  %to = getelementptr inbounds i32, ptr %inside, i32 %low
  store i32 %i, ptr %to, align 4
  %back = load i32, ptr %inside, align 4
  %added = add i32 %sum, %back
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end

end:
  %low.end = and i32 %k, 3
  %slot = getelementptr inbounds i32, ptr %last, i32 %low.end
  store i32 %sum, ptr %slot, align 4
  %value = load i32, ptr %last, align 4
  store i32 %value, ptr %out, align 4
  ret void
}

define ptx_kernel void @alone(ptr %out, i32 %k) #0 {
  %alone = alloca [12 x i32], align 4
  %low = and i32 %k, 3
  %to = getelementptr inbounds i32, ptr %alone, i32 %low
  store i32 %k, ptr %to, align 4
  %value = load i32, ptr %alone, align 4
  store i32 %value, ptr %out, align 4
  ret void
}

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="256" }
