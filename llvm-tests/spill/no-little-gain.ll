; A small array that is accessed once in every iteration of much work: shared memory would hardly make the kernel faster.
; RUN: %opt -passes=steer-spills -verify-each -pass-remarks=warpwise -pass-remarks-missed=warpwise -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK: stack object %small{{.*}} stays in local memory{{.*}}: moving it to shared memory would make the kernel 1.0{{[0-4][0-9]}} times as fast by the model

define ptx_kernel void @kernel(ptr %in, ptr %out, i32 %n) #0 {
entry:
  %small = alloca [2 x double], align 8
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %from = getelementptr double, ptr %in, i64 %wide
  %x = load double, ptr %from, align 8
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %mix = xor i32 %i, %tid
  %i1 = or i32 %i, 1
  %at = and i32 %mix, 1
  %slot = getelementptr inbounds double, ptr %small, i32 %at
  store double %x, ptr %slot, align 8
  %a = udiv i32 %tid, %i1
  %b = udiv i32 %a, %n
  %c = udiv i32 %b, %i1
  %d = udiv i32 %c, %n
  %e = udiv i32 %d, %i1
  %f = udiv i32 %e, %n
  store i32 %f, ptr %out, align 4
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end

end:
  %last = getelementptr inbounds double, ptr %small, i32 %n
  %result = load double, ptr %last, align 8
  %to = getelementptr double, ptr %out, i64 %wide
  store double %result, ptr %to, align 8
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="64" }
