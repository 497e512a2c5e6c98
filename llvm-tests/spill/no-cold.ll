; Arrays that are used in cold code only stay where they are: shared memory would be taken from the first-level cache of all
; the rest. Large numbers, what the program says itself, traps; a statement to the contrary wins over the guess.
; RUN: %opt -passes=steer-spills -verify-each -pass-remarks=warpwise -pass-remarks-missed=warpwise -disable-output %s 2>&1 \
; RUN:   | %FileCheck %s
; RUN: %opt -passes='steer-spills<victims=all+rare>' -verify-each -pass-remarks=warpwise -pass-remarks-missed=warpwise \
; RUN:   -disable-output %s 2>&1 | %FileCheck --check-prefix=ALL %s

target triple = "nvptx64-nvidia-cuda"

; CHECK:     stack object %large{{.*}} stays in local memory{{.*}}: it is used only in cold code, and its copies in shared memory would be taken from the first-level cache of all the rest; -warpwise-steer=all+rare moves it anyway
; CHECK:     stack object %behind{{.*}} stays in local memory{{.*}}: it is used only in cold code
; CHECK:     stack object %stated{{.*}} stays in local memory{{.*}}: it is used only in cold code
; CHECK:     stack object %likely{{.*}} moved from local to shared memory
; CHECK:     stack object %trap{{.*}} stays in local memory{{.*}}: it is used only in cold code
; CHECK:     stack object %both{{.*}} moved from local to shared memory
; CHECK-NOT: stack object
; ALL-COUNT-6: moved from local to shared memory

define ptx_kernel void @large(ptr %out, i32 %k, float %x) #0 {
  %large = alloca [12 x i32], align 4
  %behind = alloca [12 x i32], align 4
  %size = call float @llvm.nvvm.fabs.f32(float %x)
  %small = fcmp ult float %size, 1.056150e+05
  br i1 %small, label %end, label %reduce

reduce:
  %inf = fcmp oeq float %size, 0x7FF0000000000000
  br i1 %inf, label %end, label %loop

loop:
  %i = phi i32 [ 0, %reduce ], [ %next, %loop ]
  %to = getelementptr inbounds i32, ptr %large, i32 %i
  store i32 %k, ptr %to, align 4
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, 8
  br i1 %more, label %loop, label %read

read:
  %from = getelementptr inbounds i32, ptr %large, i32 %k
  %value = load i32, ptr %from, align 4
  %store = getelementptr inbounds i32, ptr %behind, i32 %k
  store i32 %value, ptr %store, align 4
  %again = load i32, ptr %behind, align 4
  store i32 %again, ptr %out, align 4
  br label %end

end:
  ret void
}

define ptx_kernel void @stated(ptr %out, i32 %k, i1 %c) #0 {
  %stated = alloca [12 x i32], align 4
  br i1 %c, label %use, label %end, !prof !0

use:
  %to = getelementptr inbounds i32, ptr %stated, i32 %k
  store i32 %k, ptr %to, align 4
  %value = load i32, ptr %stated, align 4
  store i32 %value, ptr %out, align 4
  br label %end

end:
  ret void
}

define ptx_kernel void @likely(ptr %out, i32 %k, double %x) #0 {
  %likely = alloca [12 x i32], align 4
  %size = call double @llvm.fabs.f64(double %x)
  %c = fcmp ogt double %size, 1.0e+06
  br i1 %c, label %use, label %end, !prof !1

use:
  %to = getelementptr inbounds i32, ptr %likely, i32 %k
  store i32 %k, ptr %to, align 4
  %value = load i32, ptr %likely, align 4
  store i32 %value, ptr %out, align 4
  br label %end

end:
  ret void
}

define ptx_kernel void @trap(ptr %out, i32 %k, i1 %c) #0 {
  %trap = alloca [12 x i32], align 4
  br i1 %c, label %fail, label %end

fail:
  %to = getelementptr inbounds i32, ptr %trap, i32 %k
  store i32 %k, ptr %to, align 4
  %value = load i32, ptr %trap, align 4
  store i32 %value, ptr %out, align 4
  call void @llvm.trap()
  unreachable

end:
  ret void
}

; One way that is not rare is enough.
define ptx_kernel void @both(ptr %out, i32 %k, float %x, i1 %c) #0 {
  %both = alloca [12 x i32], align 4
  %size = call float @llvm.nvvm.fabs.f32(float %x)
  %big = fcmp oge float %size, 1.0e+06
  br i1 %big, label %use, label %small

small:
  br i1 %c, label %use, label %end

use:
  %to = getelementptr inbounds i32, ptr %both, i32 %k
  store i32 %k, ptr %to, align 4
  %value = load i32, ptr %both, align 4
  store i32 %value, ptr %out, align 4
  br label %end

end:
  ret void
}

declare float @llvm.nvvm.fabs.f32(float)
declare double @llvm.fabs.f64(double)
declare void @llvm.trap()

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="256" }

!0 = !{!"branch_weights", !"expected", i32 1, i32 2000}
!1 = !{!"branch_weights", i32 2000, i32 1}
