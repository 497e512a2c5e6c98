; An array that has no room fills the cache, and is used much more: a small one stays with it, whose copies would be taken from
; the cache.
; RUN: %opt -passes=steer-spills -verify-each -pass-remarks=warpwise -pass-remarks-missed=warpwise -disable-output %s 2>&1 \
; RUN:   | %FileCheck %s
; RUN: %opt -passes='steer-spills<victims=rare>' -verify-each -pass-remarks=warpwise -disable-output %s 2>&1 \
; RUN:   | %FileCheck --check-prefix=ALL %s

target triple = "nvptx64-nvidia-cuda"

; CHECK:     stack object %large{{.*}} stays in local memory{{.*}}: 65536 bytes of shared memory for 64 threads are {{[0-9]+}} too many
; CHECK:     stack object %small{{.*}} stays in local memory{{.*}}: others of 1024 bytes stay too and are used more, and shared memory for it would be taken from the first-level cache that they want; -warpwise-steer=all+rare moves it anyway
; CHECK-NOT: stack object
; ALL: stack object %small{{.*}} moved from local to shared memory

define ptx_kernel void @kernel(ptr %in, ptr %out, i32 %n) #0 {
entry:
  %large = alloca [128 x double], align 8
  %small = alloca [8 x double], align 8
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %from = getelementptr double, ptr %in, i64 %wide
  %x = load double, ptr %from, align 8
  br label %outer

outer:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %mix = xor i32 %i, %tid
  %at = and i32 %mix, 7
  %slot = getelementptr inbounds double, ptr %small, i32 %at
  %old = load double, ptr %slot, align 8
  br label %inner

inner:
  %j = phi i32 [ 0, %outer ], [ %next.j, %inner ]
  %at.j = and i32 %j, 127
  %slot.j = getelementptr inbounds double, ptr %large, i32 %at.j
  %old.j = load double, ptr %slot.j, align 8
  %new.j = fadd double %old.j, %old
  store double %new.j, ptr %slot.j, align 8
  %next.j = add nuw nsw i32 %j, 1
  %more.j = icmp ult i32 %next.j, %n
  br i1 %more.j, label %inner, label %latch

latch:
  %new = fadd double %new.j, %x
  store double %new, ptr %slot, align 8
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %outer, label %end

end:
  %to = getelementptr double, ptr %out, i64 %wide
  store double %new, ptr %to, align 8
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="64" }
