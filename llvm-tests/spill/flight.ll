; Loops that add up what they load get 64 registers a thread, which blocks of any size have: without a bound ptxas keeps to the 32
; with which all warps fit. Steps are unknown (%far) or a place (1); each lane has a place, but in @alone, where no thread asks.
; RUN: %opt -passes=steer-spills -mtriple=nvptx64-nvidia-cuda -mcpu=sm_90 -verify-each -pass-remarks=warpwise -S %s 2>%t | %FileCheck %s
; RUN: %FileCheck %s --check-prefix=REMARK --implicit-check-not=remark: < %t
; RUN: %opt -passes=steer-spills -mcpu=sm_90 -pass-remarks-missed=warpwise -disable-output %s 2>&1 | %FileCheck %s --check-prefix=MISSED --implicit-check-not=remark:
; RUN: %opt -passes='steer-spills<limit=0>' -mcpu=sm_90 -S %s 2>/dev/null | %FileCheck %s --check-prefix=NONE
; RUN: %opt -passes='steer-spills<regs=32>' -mcpu=sm_90 -S %s 2>/dev/null | %FileCheck %s --check-prefix=NONE
; RUN: %opt -passes=steer-spills -mcpu=sm_75 -S %s 2>/dev/null | %FileCheck %s --check-prefix=NONE
; RUN: %opt -passes=steer-spills -mcpu=sm_62 -S %s 2>/dev/null | %FileCheck %s --check-prefix=NONE
; RUN: %opt -passes=steer-spills -mcpu=sm_90 -S %s -o %t.ll
; RUN: %llc -mcpu=sm_90 -O3 %t.ll -o - | %FileCheck %s --check-prefix=PTX
; RUN: %warpwise simt --compare %s %t.ll --kernel far --block 32 --arg f32[512]:random:9 --arg f32[32]:zero --arg i32:8 --arg i64:32
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)

; REMARK: remark: {{.*}} up to 64 registers, which blocks of any size have, for 4 loads and more of a loop that are in flight at once
; REMARK: remark: {{.*}} up to 64 registers, which blocks of any size have, for 4 loads and more of a loop that are in flight at once
; MISSED: remark: {{.*}} 4 loads and more of a loop could be in flight at once in 64 registers, with fewer warps: __launch_bounds__(1024, 1) tells whether that is faster
; NONE-NOT: "nvvm.maxnreg"="64"

; CHECK: @far({{.*}} #[[WIDE:[0-9]+]] {
; PTX-LABEL: .entry far(
; PTX: .maxnreg 64
define ptx_kernel void @far(ptr addrspace(1) %in, ptr addrspace(1) noalias %out, i32 %n, i64 %far) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = sext i32 %tid to i64
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = phi i64 [ %start, %entry ], [ %at4, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum4, %loop ]
  %p0 = getelementptr float, ptr addrspace(1) %in, i64 %at
  %x0 = load float, ptr addrspace(1) %p0
  %sum1 = fadd float %sum, %x0
  %at1 = add i64 %at, %far
  %p1 = getelementptr float, ptr addrspace(1) %in, i64 %at1
  %x1 = load float, ptr addrspace(1) %p1
  %sum2 = fadd float %sum1, %x1
  %at2 = add i64 %at1, %far
  %p2 = getelementptr float, ptr addrspace(1) %in, i64 %at2
  %x2 = load float, ptr addrspace(1) %p2
  %sum3 = fadd float %sum2, %x2
  %at3 = add i64 %at2, %far
  %p3 = getelementptr float, ptr addrspace(1) %in, i64 %at3
  %x3 = load float, ptr addrspace(1) %p3
  %sum4 = fadd float %sum3, %x3
  %at4 = add i64 %at3, %far
  %next = add i32 %i, 4
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  %o = getelementptr float, ptr addrspace(1) %out, i32 %tid
  store float %sum4, ptr addrspace(1) %o
  ret void
}
; No thread asks which one it is.
; CHECK: @alone({{.*}} #[[WIDE]] {
; PTX-LABEL: .entry alone(
; PTX: .maxnreg 64
define ptx_kernel void @alone(ptr addrspace(1) %in, ptr addrspace(1) noalias %out, i32 %n, i64 %far) {
entry:
  %start = sext i32 0 to i64
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = phi i64 [ %start, %entry ], [ %at4, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum4, %loop ]
  %p0 = getelementptr float, ptr addrspace(1) %in, i64 %at
  %x0 = load float, ptr addrspace(1) %p0
  %sum1 = fadd float %sum, %x0
  %at1 = add i64 %at, 1
  %p1 = getelementptr float, ptr addrspace(1) %in, i64 %at1
  %x1 = load float, ptr addrspace(1) %p1
  %sum2 = fadd float %sum1, %x1
  %at2 = add i64 %at, 2
  %p2 = getelementptr float, ptr addrspace(1) %in, i64 %at2
  %x2 = load float, ptr addrspace(1) %p2
  %sum3 = fadd float %sum2, %x2
  %at3 = add i64 %at, 3
  %p3 = getelementptr float, ptr addrspace(1) %in, i64 %at3
  %x3 = load float, ptr addrspace(1) %p3
  %sum4 = fadd float %sum3, %x3
  %at4 = add i64 %at, 4
  %next = add i32 %i, 4
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  store float %sum4, ptr addrspace(1) %out
  ret void
}
; Neighbouring lanes and iterations share lines.
; CHECK: @near(
; CHECK-NOT: #[[WIDE]]
; PTX-LABEL: .entry near(
; PTX-NOT: .maxnreg
define ptx_kernel void @near(ptr addrspace(1) %in, ptr addrspace(1) noalias %out, i32 %n, i64 %far) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = sext i32 %tid to i64
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = phi i64 [ %start, %entry ], [ %at4, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum4, %loop ]
  %p0 = getelementptr float, ptr addrspace(1) %in, i64 %at
  %x0 = load float, ptr addrspace(1) %p0
  %sum1 = fadd float %sum, %x0
  %at1 = add i64 %at, 1
  %p1 = getelementptr float, ptr addrspace(1) %in, i64 %at1
  %x1 = load float, ptr addrspace(1) %p1
  %sum2 = fadd float %sum1, %x1
  %at2 = add i64 %at, 2
  %p2 = getelementptr float, ptr addrspace(1) %in, i64 %at2
  %x2 = load float, ptr addrspace(1) %p2
  %sum3 = fadd float %sum2, %x2
  %at3 = add i64 %at, 3
  %p3 = getelementptr float, ptr addrspace(1) %in, i64 %at3
  %x3 = load float, ptr addrspace(1) %p3
  %sum4 = fadd float %sum3, %x3
  %at4 = add i64 %at, 4
  %next = add i32 %i, 4
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  %o = getelementptr float, ptr addrspace(1) %out, i32 %tid
  store float %sum4, ptr addrspace(1) %o
  ret void
}
; A store comes between the loads of two iterations.
; CHECK: @stored(
; CHECK-NOT: #[[WIDE]]
; PTX-LABEL: .entry stored(
; PTX-NOT: .maxnreg
define ptx_kernel void @stored(ptr addrspace(1) %in, ptr addrspace(1) noalias %out, i32 %n, i64 %far) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = sext i32 %tid to i64
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = phi i64 [ %start, %entry ], [ %at4, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum4, %loop ]
  %p0 = getelementptr float, ptr addrspace(1) %in, i64 %at
  %x0 = load float, ptr addrspace(1) %p0
  %sum1 = fadd float %sum, %x0
  %at1 = add i64 %at, %far
  %p1 = getelementptr float, ptr addrspace(1) %in, i64 %at1
  %x1 = load float, ptr addrspace(1) %p1
  %sum2 = fadd float %sum1, %x1
  %at2 = add i64 %at1, %far
  %p2 = getelementptr float, ptr addrspace(1) %in, i64 %at2
  %x2 = load float, ptr addrspace(1) %p2
  %sum3 = fadd float %sum2, %x2
  %at3 = add i64 %at2, %far
  %p3 = getelementptr float, ptr addrspace(1) %in, i64 %at3
  %x3 = load float, ptr addrspace(1) %p3
  %sum4 = fadd float %sum3, %x3
  %at4 = add i64 %at3, %far
  %q = getelementptr float, ptr addrspace(1) %out, i32 %i
  store float %sum4, ptr addrspace(1) %q
  %next = add i32 %i, 4
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  %o = getelementptr float, ptr addrspace(1) %out, i32 %tid
  store float %sum4, ptr addrspace(1) %o
  ret void
}
; Each iteration waits for other warps.
; CHECK: @waiting(
; CHECK-NOT: #[[WIDE]]
; PTX-LABEL: .entry waiting(
; PTX-NOT: .maxnreg
define ptx_kernel void @waiting(ptr addrspace(1) %in, ptr addrspace(1) noalias %out, i32 %n, i64 %far) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = sext i32 %tid to i64
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = phi i64 [ %start, %entry ], [ %at4, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum4, %loop ]
  %p0 = getelementptr float, ptr addrspace(1) %in, i64 %at
  %x0 = load float, ptr addrspace(1) %p0
  %sum1 = fadd float %sum, %x0
  %at1 = add i64 %at, %far
  %p1 = getelementptr float, ptr addrspace(1) %in, i64 %at1
  %x1 = load float, ptr addrspace(1) %p1
  %sum2 = fadd float %sum1, %x1
  %at2 = add i64 %at1, %far
  %p2 = getelementptr float, ptr addrspace(1) %in, i64 %at2
  %x2 = load float, ptr addrspace(1) %p2
  %sum3 = fadd float %sum2, %x2
  %at3 = add i64 %at2, %far
  %p3 = getelementptr float, ptr addrspace(1) %in, i64 %at3
  %x3 = load float, ptr addrspace(1) %p3
  %sum4 = fadd float %sum3, %x3
  %at4 = add i64 %at3, %far
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add i32 %i, 4
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  %o = getelementptr float, ptr addrspace(1) %out, i32 %tid
  store float %sum4, ptr addrspace(1) %o
  ret void
}
; Each iteration needs what the one before loaded.
; CHECK: @chained(
; CHECK-NOT: #[[WIDE]]
; PTX-LABEL: .entry chained(
; PTX-NOT: .maxnreg
define ptx_kernel void @chained(ptr addrspace(1) %in, ptr addrspace(1) noalias %out, i32 %n, i64 %far) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = sext i32 %tid to i64
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = phi i64 [ %start, %entry ], [ %at4, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum4, %loop ]
  %p0 = getelementptr float, ptr addrspace(1) %in, i64 %at
  %x0 = load float, ptr addrspace(1) %p0
  %sum1 = fadd float %sum, %x0
  %at1 = add i64 %at, %far
  %p1 = getelementptr float, ptr addrspace(1) %in, i64 %at1
  %x1 = load float, ptr addrspace(1) %p1
  %sum2 = fadd float %sum1, %x1
  %at2 = add i64 %at1, %far
  %p2 = getelementptr float, ptr addrspace(1) %in, i64 %at2
  %x2 = load float, ptr addrspace(1) %p2
  %sum3 = fadd float %sum2, %x2
  %at3 = add i64 %at2, %far
  %p3 = getelementptr float, ptr addrspace(1) %in, i64 %at3
  %x3 = load float, ptr addrspace(1) %p3
  %sum4 = fadd float %sum3, %x3
  %bits = fptosi float %x3 to i64
  %at4 = add i64 %at3, %bits
  %next = add i32 %i, 4
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  %o = getelementptr float, ptr addrspace(1) %out, i32 %tid
  store float %sum4, ptr addrspace(1) %o
  ret void
}
; The kernel states a bound.
; CHECK: @bounded(
; CHECK-NOT: #[[WIDE]]
; PTX-LABEL: .entry bounded(
; PTX-NOT: .maxnreg
define ptx_kernel void @bounded(ptr addrspace(1) %in, ptr addrspace(1) noalias %out, i32 %n, i64 %far) "nvvm.maxntid"="256" {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = sext i32 %tid to i64
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = phi i64 [ %start, %entry ], [ %at4, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum4, %loop ]
  %p0 = getelementptr float, ptr addrspace(1) %in, i64 %at
  %x0 = load float, ptr addrspace(1) %p0
  %sum1 = fadd float %sum, %x0
  %at1 = add i64 %at, %far
  %p1 = getelementptr float, ptr addrspace(1) %in, i64 %at1
  %x1 = load float, ptr addrspace(1) %p1
  %sum2 = fadd float %sum1, %x1
  %at2 = add i64 %at1, %far
  %p2 = getelementptr float, ptr addrspace(1) %in, i64 %at2
  %x2 = load float, ptr addrspace(1) %p2
  %sum3 = fadd float %sum2, %x2
  %at3 = add i64 %at2, %far
  %p3 = getelementptr float, ptr addrspace(1) %in, i64 %at3
  %x3 = load float, ptr addrspace(1) %p3
  %sum4 = fadd float %sum3, %x3
  %at4 = add i64 %at3, %far
  %next = add i32 %i, 4
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  %o = getelementptr float, ptr addrspace(1) %out, i32 %tid
  store float %sum4, ptr addrspace(1) %o
  ret void
}
; CHECK: attributes #[[WIDE]] = {{{.*}}"nvvm.maxnreg"="64"{{.*}}}
