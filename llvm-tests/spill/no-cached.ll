; All lanes access the array at the same place, and the first-level cache has room for all threads' arrays: nothing would be
; gained. A larger one moves.
; RUN: %opt -passes=steer-spills -verify-each -pass-remarks=warpwise -pass-remarks-missed=warpwise -disable-output %s 2>&1 \
; RUN:   | %FileCheck %s
; RUN: %opt -passes='steer-spills<victims=rare>' -verify-each -pass-remarks=warpwise -disable-output %s 2>&1 \
; RUN:   | %FileCheck --check-prefix=ALL %s

target triple = "nvptx64-nvidia-cuda"

; CHECK:     stack object %small{{.*}} stays in local memory{{.*}}: the first-level cache has room for it, and lanes access it at the same place; -warpwise-steer=all+rare moves it anyway
; CHECK:     stack object %large{{.*}} moved from local to shared memory
; CHECK-NOT: stack object
; ALL-COUNT-2: moved from local to shared memory

define ptx_kernel void @small(ptr %in, ptr %out, i32 %n) #0 {
entry:
  %small = alloca [4 x double], align 8
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %from = getelementptr double, ptr %in, i64 %wide
  %x = load double, ptr %from, align 8
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = and i32 %i, 3
  %slot = getelementptr inbounds double, ptr %small, i32 %at
  %old = load double, ptr %slot, align 8
  %new = fadd double %old, %x
  store double %new, ptr %slot, align 8
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end

end:
  %to = getelementptr double, ptr %out, i64 %wide
  store double %new, ptr %to, align 8
  ret void
}

define ptx_kernel void @large(ptr %in, ptr %out, i32 %n) #0 {
entry:
  %large = alloca [8 x double], align 8
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %from = getelementptr double, ptr %in, i64 %wide
  %x = load double, ptr %from, align 8
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = and i32 %i, 7
  %slot = getelementptr inbounds double, ptr %large, i32 %at
  %old = load double, ptr %slot, align 8
  %new = fadd double %old, %x
  store double %new, ptr %slot, align 8
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end

end:
  %to = getelementptr double, ptr %out, i64 %wide
  store double %new, ptr %to, align 8
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="128" }
