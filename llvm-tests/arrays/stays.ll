; For which arrays no loops are unrolled, one for each reason; none has a place in shared memory, as the kernels are called.
; Newer verifiers refuse calls of kernels.
; REQUIRES: llvm-22
; RUN: %opt -passes=free-arrays,steer-spills -disable-output -pass-remarks=warpwise -pass-remarks-missed=warpwise %s 2>&1 | %FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
; RUN: %opt -passes=free-arrays -S %s | %FileCheck %s
; CHECK-COUNT-16: alloca
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; REMARK: remark: {{.*}} stack object %a ({{.*}}, 64 bytes) stays in local memory (indexed by {{%.*}}): the kernel is also called as a function
define ptx_kernel void @variable(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %a = alloca [8 x double]
  br label %fill
fill:
  %i = phi i32 [ 0, %entry ], [ %i.next, %fill ]
  %from = getelementptr double, ptr addrspace(1) %in, i32 %i
  %x = load double, ptr addrspace(1) %from
  %to = getelementptr double, ptr %a, i32 %i
  store double %x, ptr %to
  %i.next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %i.next, 8
  br i1 %more, label %fill, label %middle
middle:
  br label %use
use:
  %j = phi i32 [ 0, %middle ], [ %j.next, %use ]
  %of = getelementptr double, ptr %a, i32 %n
  %y = load double, ptr %of
  %into = getelementptr double, ptr addrspace(1) %out, i32 %j
  store double %y, ptr addrspace(1) %into
  %j.next = add nuw nsw i32 %j, 1
  %again = icmp ult i32 %j.next, 8
  br i1 %again, label %use, label %done
done:
  ret void
}

; REMARK: remark: {{.*}} stack object %a ({{.*}}, 64 bytes) stays in local memory (indexed by {{%.*}}): not in registers: a loop that indexes it has a trip count that is not constant; not in shared memory: the kernel is also called as a function
define ptx_kernel void @unknown(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %a = alloca [8 x double]
  br label %fill
fill:
  %i = phi i32 [ 0, %entry ], [ %i.next, %fill ]
  %from = getelementptr double, ptr addrspace(1) %in, i32 %i
  %x = load double, ptr addrspace(1) %from
  %to = getelementptr double, ptr %a, i32 %i
  store double %x, ptr %to
  %i.next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %i.next, 8
  br i1 %more, label %fill, label %middle
middle:
  br label %use
use:
  %j = phi i32 [ 0, %middle ], [ %j.next, %use ]
  %of = getelementptr double, ptr %a, i32 %j
  %y = load double, ptr %of
  %into = getelementptr double, ptr addrspace(1) %out, i32 %j
  store double %y, ptr addrspace(1) %into
  %j.next = add nuw nsw i32 %j, 1
  %again = icmp ult i32 %j.next, %n
  br i1 %again, label %use, label %done
done:
  ret void
}

; REMARK: remark: {{.*}} stack object %a ({{.*}}, 64 bytes) stays in local memory (indexed by {{%.*}}): not in registers: the source, or LLVM, has decided about unrolling a loop that indexes it; not in shared memory: the kernel is also called as a function
define ptx_kernel void @decided(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %a = alloca [8 x double]
  br label %fill
fill:
  %i = phi i32 [ 0, %entry ], [ %i.next, %fill ]
  %from = getelementptr double, ptr addrspace(1) %in, i32 %i
  %x = load double, ptr addrspace(1) %from
  %to = getelementptr double, ptr %a, i32 %i
  store double %x, ptr %to
  %i.next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %i.next, 8
  br i1 %more, label %fill, label %middle, !llvm.loop !0
middle:
  br label %use
use:
  %j = phi i32 [ 0, %middle ], [ %j.next, %use ]
  %of = getelementptr double, ptr %a, i32 %j
  %y = load double, ptr %of
  %into = getelementptr double, ptr addrspace(1) %out, i32 %j
  store double %y, ptr addrspace(1) %into
  %j.next = add nuw nsw i32 %j, 1
  %again = icmp ult i32 %j.next, 8
  br i1 %again, label %use, label %done
done:
  ret void
}

; REMARK: remark: {{.*}} stack object %a ({{.*}}, 8000 bytes) stays in local memory (indexed by {{%.*}}): not in registers: unrolled, the loops that index it would have {{[0-9]+}} instructions; at most 4096 are made; not in shared memory: the kernel is also called as a function
define ptx_kernel void @large(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %a = alloca [1000 x double]
  br label %fill
fill:
  %i = phi i32 [ 0, %entry ], [ %i.next, %fill ]
  %from = getelementptr double, ptr addrspace(1) %in, i32 %i
  %x = load double, ptr addrspace(1) %from
  %to = getelementptr double, ptr %a, i32 %i
  store double %x, ptr %to
  %i.next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %i.next, 1000
  br i1 %more, label %fill, label %middle
middle:
  br label %use
use:
  %j = phi i32 [ 0, %middle ], [ %j.next, %use ]
  %of = getelementptr double, ptr %a, i32 %j
  %y = load double, ptr %of
  %into = getelementptr double, ptr addrspace(1) %out, i32 %j
  store double %y, ptr addrspace(1) %into
  %j.next = add nuw nsw i32 %j, 1
  %again = icmp ult i32 %j.next, 1000
  br i1 %again, label %use, label %done
done:
  ret void
}

; REMARK: remark: {{.*}} stack object %a ({{.*}}, 1600 bytes) stays in local memory (indexed by {{%.*}}): not in registers: {{[0-9]+}} registers would become {{[0-9]+}}, and 255 are left by the launch bounds; not in shared memory: the kernel is also called as a function
define ptx_kernel void @registers(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %a = alloca [200 x double]
  br label %fill
fill:
  %i = phi i32 [ 0, %entry ], [ %i.next, %fill ]
  %from = getelementptr double, ptr addrspace(1) %in, i32 %i
  %x = load double, ptr addrspace(1) %from
  %to = getelementptr double, ptr %a, i32 %i
  store double %x, ptr %to
  %i.next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %i.next, 200
  br i1 %more, label %fill, label %middle
middle:
  br label %use
use:
  %j = phi i32 [ 0, %middle ], [ %j.next, %use ]
  %of = getelementptr double, ptr %a, i32 %j
  %y = load double, ptr %of
  %into = getelementptr double, ptr addrspace(1) %out, i32 %j
  store double %y, ptr addrspace(1) %into
  %j.next = add nuw nsw i32 %j, 1
  %again = icmp ult i32 %j.next, 200
  br i1 %again, label %use, label %done
done:
  ret void
}

; REMARK: remark: {{.*}} stack object %a ({{.*}}, 320 bytes) stays in local memory (indexed by {{%.*}}): not in registers: {{[0-9]+}} registers would become {{[0-9]+}}, and 64 are left by the launch bounds; not in shared memory: the kernel is also called as a function
define ptx_kernel void @bound(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) "nvvm.maxntid"="1024" {
entry:
  %a = alloca [40 x double]
  br label %fill
fill:
  %i = phi i32 [ 0, %entry ], [ %i.next, %fill ]
  %from = getelementptr double, ptr addrspace(1) %in, i32 %i
  %x = load double, ptr addrspace(1) %from
  %to = getelementptr double, ptr %a, i32 %i
  store double %x, ptr %to
  %i.next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %i.next, 40
  br i1 %more, label %fill, label %middle
middle:
  br label %use
use:
  %j = phi i32 [ 0, %middle ], [ %j.next, %use ]
  %of = getelementptr double, ptr %a, i32 %j
  %y = load double, ptr %of
  %into = getelementptr double, ptr addrspace(1) %out, i32 %j
  store double %y, ptr addrspace(1) %into
  %j.next = add nuw nsw i32 %j, 1
  %again = icmp ult i32 %j.next, 40
  br i1 %again, label %use, label %done
done:
  ret void
}

; REMARK: remark: {{.*}} stack object %a ({{.*}}, 800 bytes) stays in local memory (indexed by {{%.*}}): not in registers: {{[0-9]+}} registers would become {{[0-9]+}}, with which less than half of the blocks fit on a multiprocessor; not in shared memory: the kernel is also called as a function
define ptx_kernel void @occupancy(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) "target-cpu"="sm_90" {
entry:
  %a = alloca [100 x double]
  br label %fill
fill:
  %i = phi i32 [ 0, %entry ], [ %i.next, %fill ]
  %from = getelementptr double, ptr addrspace(1) %in, i32 %i
  %x = load double, ptr addrspace(1) %from
  %to = getelementptr double, ptr %a, i32 %i
  store double %x, ptr %to
  %i.next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %i.next, 100
  br i1 %more, label %fill, label %middle
middle:
  br label %use
use:
  %j = phi i32 [ 0, %middle ], [ %j.next, %use ]
  %of = getelementptr double, ptr %a, i32 %j
  %y = load double, ptr %of
  %into = getelementptr double, ptr addrspace(1) %out, i32 %j
  store double %y, ptr addrspace(1) %into
  %j.next = add nuw nsw i32 %j, 1
  %again = icmp ult i32 %j.next, 100
  br i1 %again, label %use, label %done
done:
  ret void
}

; REMARK: remark: {{.*}} stack object %a ([5 x float], 20 bytes) is left to ptxas (indexed by %i): it keeps 5 words in registers and selects among them
define ptx_kernel void @small(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %a = alloca [5 x float]
  br label %fill
fill:
  %i = phi i32 [ 0, %entry ], [ %i.next, %fill ]
  %from = getelementptr float, ptr addrspace(1) %in, i32 %i
  %x = load float, ptr addrspace(1) %from
  %to = getelementptr float, ptr %a, i32 %i
  store float %x, ptr %to
  %i.next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %i.next, 5
  br i1 %more, label %fill, label %middle
middle:
  br label %use
use:
  %j = phi i32 [ 0, %middle ], [ %j.next, %use ]
  %of = getelementptr float, ptr %a, i32 %j
  %y = load float, ptr %of
  %into = getelementptr float, ptr addrspace(1) %out, i32 %j
  store float %y, ptr addrspace(1) %into
  %j.next = add nuw nsw i32 %j, 1
  %again = icmp ult i32 %j.next, 5
  br i1 %again, label %use, label %done
done:
  ret void
}

; The product of an iteration meets the sum of the next, with which ptxas joins it if it unrolls the loop.
; REMARK: remark: {{.*}} stack object %a ({{.*}}, 64 bytes) stays in local memory (indexed by {{%.*}}): not in registers: products and sums around it could become other multiply-adds; -warpwise-results=contract allows that; not in shared memory: the kernel is also called as a function
define ptx_kernel void @carried(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %a = alloca [8 x double]
  br label %fill
fill:
  %carried = phi double [ 1.0, %entry ], [ %product, %fill ]
  %i = phi i32 [ 0, %entry ], [ %i.next, %fill ]
  %from = getelementptr double, ptr addrspace(1) %in, i32 %i
  %x = load double, ptr addrspace(1) %from
  %sum = fadd contract double %carried, %x
  %product = fmul contract double %x, 3.0
  %to = getelementptr double, ptr %a, i32 %i
  store double %sum, ptr %to
  %i.next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %i.next, 8
  br i1 %more, label %fill, label %middle
middle:
  br label %use
use:
  %j = phi i32 [ 0, %middle ], [ %j.next, %use ]
  %of = getelementptr double, ptr %a, i32 %j
  %y = load double, ptr %of
  %into = getelementptr double, ptr addrspace(1) %out, i32 %j
  store double %y, ptr addrspace(1) %into
  %j.next = add nuw nsw i32 %j, 1
  %again = icmp ult i32 %j.next, 8
  br i1 %again, label %use, label %done
done:
  ret void
}

; REMARK: remark: {{.*}} stack object %a ({{.*}}, 64 bytes) stays in local memory (indexed by {{%.*}}): not in registers: a loop that indexes it contains one that would stay a loop, and would be copied; not in shared memory: the kernel is also called as a function
define ptx_kernel void @inner(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %a = alloca [8 x double]
  br label %fill
fill:
  %i = phi i32 [ 0, %entry ], [ %i.next, %filled ]
  br label %sum
sum:
  %j = phi i32 [ 0, %fill ], [ %j.next, %sum ]
  %old = phi double [ 0.0, %fill ], [ %new, %sum ]
  %of = getelementptr double, ptr addrspace(1) %in, i32 %j
  %y = load double, ptr addrspace(1) %of
  %new = fadd double %old, %y
  %j.next = add nuw nsw i32 %j, 1
  %again = icmp ult i32 %j.next, %n
  br i1 %again, label %sum, label %filled
filled:
  %to = getelementptr double, ptr %a, i32 %i
  store double %new, ptr %to
  %i.next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %i.next, 8
  br i1 %more, label %fill, label %done
done:
  %last = getelementptr double, ptr %a, i32 5
  %x = load double, ptr %last
  store double %x, ptr addrspace(1) %out
  ret void
}

; REMARK: remark: {{.*}} stack object %a ([8 x double], 64 bytes) stays in local memory (indexed by %i): it is used only in cold code
define ptx_kernel void @cold(ptr addrspace(1) %in, ptr addrspace(1) %out, i1 %c) {
entry:
  %a = alloca [8 x double]
  br i1 %c, label %fill, label %done, !prof !2
fill:
  %i = phi i32 [ 0, %entry ], [ %i.next, %fill ]
  %from = getelementptr double, ptr addrspace(1) %in, i32 %i
  %x = load double, ptr addrspace(1) %from
  %to = getelementptr double, ptr %a, i32 %i
  store double %x, ptr %to
  %i.next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %i.next, 8
  br i1 %more, label %fill, label %use
use:
  %of = getelementptr double, ptr %a, i32 3
  %y = load double, ptr %of
  store double %y, ptr addrspace(1) %out
  br label %done
done:
  ret void
}

; No loop indexes it, or it is switched off, or not optimised: nothing is said of registers.
; REMARK: remark: {{.*}} stack object %a ([8 x double]) stays in local memory: it is accessed with volatile or atomic operations
define ptx_kernel void @nothing(ptr addrspace(1) %out, i32 %n) {
entry:
  %a = alloca [8 x double]
  br label %next
next:
  %to = getelementptr double, ptr %a, i32 %n
  store volatile double 1.0, ptr %to
  ret void
}

; REMARK: remark: {{.*}} stack object %a ({{.*}}, 64 bytes) stays in local memory (indexed by {{%.*}}): the kernel is also called as a function
define ptx_kernel void @off(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) "warpwise-no-arrays" {
entry:
  %a = alloca [8 x double]
  br label %fill
fill:
  %i = phi i32 [ 0, %entry ], [ %i.next, %fill ]
  %from = getelementptr double, ptr addrspace(1) %in, i32 %i
  %x = load double, ptr addrspace(1) %from
  %to = getelementptr double, ptr %a, i32 %i
  store double %x, ptr %to
  %i.next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %i.next, 8
  br i1 %more, label %fill, label %middle
middle:
  br label %use
use:
  %j = phi i32 [ 0, %middle ], [ %j.next, %use ]
  %of = getelementptr double, ptr %a, i32 %j
  %y = load double, ptr %of
  %into = getelementptr double, ptr addrspace(1) %out, i32 %j
  store double %y, ptr addrspace(1) %into
  %j.next = add nuw nsw i32 %j, 1
  %again = icmp ult i32 %j.next, 8
  br i1 %again, label %use, label %done
done:
  ret void
}

define ptx_kernel void @all_off(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) "warpwise-off" {
entry:
  %a = alloca [8 x double]
  br label %fill
fill:
  %i = phi i32 [ 0, %entry ], [ %i.next, %fill ]
  %from = getelementptr double, ptr addrspace(1) %in, i32 %i
  %x = load double, ptr addrspace(1) %from
  %to = getelementptr double, ptr %a, i32 %i
  store double %x, ptr %to
  %i.next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %i.next, 8
  br i1 %more, label %fill, label %middle
middle:
  br label %use
use:
  %j = phi i32 [ 0, %middle ], [ %j.next, %use ]
  %of = getelementptr double, ptr %a, i32 %j
  %y = load double, ptr %of
  %into = getelementptr double, ptr addrspace(1) %out, i32 %j
  store double %y, ptr addrspace(1) %into
  %j.next = add nuw nsw i32 %j, 1
  %again = icmp ult i32 %j.next, 8
  br i1 %again, label %use, label %done
done:
  ret void
}

define ptx_kernel void @unoptimised(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) noinline optnone {
entry:
  %a = alloca [8 x double]
  br label %fill
fill:
  %i = phi i32 [ 0, %entry ], [ %i.next, %fill ]
  %from = getelementptr double, ptr addrspace(1) %in, i32 %i
  %x = load double, ptr addrspace(1) %from
  %to = getelementptr double, ptr %a, i32 %i
  store double %x, ptr %to
  %i.next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %i.next, 8
  br i1 %more, label %fill, label %middle
middle:
  br label %use
use:
  %j = phi i32 [ 0, %middle ], [ %j.next, %use ]
  %of = getelementptr double, ptr %a, i32 %j
  %y = load double, ptr %of
  %into = getelementptr double, ptr addrspace(1) %out, i32 %j
  store double %y, ptr addrspace(1) %into
  %j.next = add nuw nsw i32 %j, 1
  %again = icmp ult i32 %j.next, 8
  br i1 %again, label %use, label %done
done:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = !{!"branch_weights", i32 1, i32 2000}

; REMARK: remark: {{.*}} stack object %a ({{.*}}, 64 bytes) stays in local memory (indexed by {{%.*}}): not in registers: products and sums around it could become other multiply-adds; -warpwise-results=contract allows that; not in shared memory: the kernel is also called as a function
define ptx_kernel void @narrowed(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  %a = alloca [16 x float]
  br label %fill
fill:
  %i = phi i32 [ 0, %entry ], [ %i.next, %fill ]
  %from = getelementptr double, ptr addrspace(1) %in, i32 %i
  %x = load double, ptr addrspace(1) %from
  %f = fptrunc contract double %x to float
  %to = getelementptr float, ptr %a, i32 %i
  store float %f, ptr %to
  %i.next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %i.next, 16
  br i1 %more, label %fill, label %middle
middle:
  br label %use
use:
  %j = phi i32 [ 0, %middle ], [ %j.next, %use ]
  %of = getelementptr float, ptr %a, i32 %j
  %y = load float, ptr %of
  %h = fptrunc contract float %y to half
  %into = getelementptr half, ptr addrspace(1) %out, i32 %j
  store half %h, ptr addrspace(1) %into
  %j.next = add nuw nsw i32 %j, 1
  %again = icmp ult i32 %j.next, 16
  br i1 %again, label %use, label %done
done:
  ret void
}

define void @calls(ptr addrspace(1) %p, i32 %n) {
  call ptx_kernel void @variable(ptr addrspace(1) %p, ptr addrspace(1) %p, i32 %n)
  call ptx_kernel void @unknown(ptr addrspace(1) %p, ptr addrspace(1) %p, i32 %n)
  call ptx_kernel void @decided(ptr addrspace(1) %p, ptr addrspace(1) %p, i32 %n)
  call ptx_kernel void @large(ptr addrspace(1) %p, ptr addrspace(1) %p, i32 %n)
  call ptx_kernel void @registers(ptr addrspace(1) %p, ptr addrspace(1) %p, i32 %n)
  call ptx_kernel void @bound(ptr addrspace(1) %p, ptr addrspace(1) %p, i32 %n)
  call ptx_kernel void @occupancy(ptr addrspace(1) %p, ptr addrspace(1) %p, i32 %n)
  call ptx_kernel void @small(ptr addrspace(1) %p, ptr addrspace(1) %p, i32 %n)
  call ptx_kernel void @carried(ptr addrspace(1) %p, ptr addrspace(1) %p, i32 %n)
  call ptx_kernel void @inner(ptr addrspace(1) %p, ptr addrspace(1) %p, i32 %n)
  call ptx_kernel void @off(ptr addrspace(1) %p, ptr addrspace(1) %p, i32 %n)
  call ptx_kernel void @narrowed(ptr addrspace(1) %p, ptr addrspace(1) %p)
  ret void
}
