; A large array has no room and stays in local memory. A small one that is used more would leave the cache too small for a single
; warp's copies of it.
; RUN: %opt -passes=steer-spills -verify-each -pass-remarks=warpwise -pass-remarks-missed=warpwise -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-DAG: stack object %large{{.*}} stays in local memory{{.*}} are {{[0-9]+}} too many
; CHECK-DAG: stack object %small{{.*}} stays in local memory{{.*}}: others of 8192 bytes stay, {{[0-9]+}} bytes of the first-level cache would be left, and one warp's copies of those do not fit

define ptx_kernel void @kernel(ptr %in, ptr %out, i32 %n) #0 {
entry:
  %large = alloca [1024 x double], align 8
  %small = alloca [8 x double], align 8
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %from = getelementptr double, ptr %in, i64 %wide
  %x = load double, ptr %from, align 8
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %mix = xor i32 %i, %tid
  %at = and i32 %mix, 7
  %slot = getelementptr inbounds double, ptr %small, i32 %at
  %old = load double, ptr %slot, align 8
  %new = fadd double %old, %x
  store double %new, ptr %slot, align 8
  %at.l = and i32 %i, 1023
  %slot.l = getelementptr inbounds double, ptr %large, i32 %at.l
  store double %old, ptr %slot.l, align 8
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end

end:
  %last = getelementptr inbounds double, ptr %large, i32 %n
  %result = load double, ptr %last, align 8
  %to = getelementptr double, ptr %out, i64 %wide
  store double %result, ptr %to, align 8
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="64" }
