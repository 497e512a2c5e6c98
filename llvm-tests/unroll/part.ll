; A loop of constant trip count that is too large to be unrolled completely gets as many copies, up to sixteen, as divide its
; trip count and have 300 instructions; LLVM stops at 75. ptxas may go on as long as the code fits the instruction cache.
; RUN: %opt -passes=unroll-whole -S %s -o %t.ll
; RUN: %FileCheck %s --input-file=%t.ll
; RUN: %opt -passes=unroll-whole -disable-output -pass-remarks=warpwise %s 2>&1 | %FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
; RUN: %warpwise simt --compare %s %t.ll --kernel walk --block 32 --arg i32[2048]:random:9 --arg i32[32]:zero
; RUN: %warpwise simt --compare %s %t.ll --kernel atomic --block 32 --arg i32[64]:random:9 --arg i32[1]:zero
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)

; REMARK: remark: {{.*}} loop of 64 iterations unrolled by 16, with 6 instructions in each copy, and no remainder
; CHECK-LABEL: @walk(
; CHECK-COUNT-16: load i32
; CHECK-NOT: load i32
; CHECK: br i1 %{{.*}}, label %done, label %loop, !llvm.loop [[OPEN:![0-9]+]]
define ptx_kernel void @walk(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = shl i32 %tid, 6
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %mix = phi i32 [ 0, %entry ], [ %mix.next, %loop ]
  %index = add i32 %first, %i
  %at = getelementptr i32, ptr addrspace(1) %in, i32 %index
  %x = load i32, ptr addrspace(1) %at
  %turned = mul i32 %mix, 5
  %mixed = xor i32 %turned, %x
  %shifted = lshr i32 %mixed, 3
  %masked = and i32 %shifted, 255
  %mix.next = add i32 %mixed, %masked
  %next = add nuw nsw i32 %i, 1
  %last = icmp eq i32 %next, 64
  br i1 %last, label %done, label %loop
done:
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %tid
  store i32 %mix.next, ptr addrspace(1) %to
  ret void
}

; ptxas does not copy what would not fit the instruction cache
; REMARK: remark: {{.*}} loop of 1024 iterations unrolled by 16, with 6 instructions in each copy, and no remainder
; CHECK-LABEL: @far(
; CHECK-COUNT-16: load i32
; CHECK-NOT: load i32
; CHECK: br i1 %{{.*}}, label %done, label %loop, !llvm.loop [[CLOSED:![0-9]+]]
define ptx_kernel void @far(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %mix = phi i32 [ 0, %entry ], [ %mix.next, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %in, i32 %i
  %x = load i32, ptr addrspace(1) %at
  %turned = mul i32 %mix, 5
  %mixed = xor i32 %turned, %x
  %shifted = lshr i32 %mixed, 3
  %masked = and i32 %shifted, 255
  %mix.next = add i32 %mixed, %masked
  %next = add nuw nsw i32 %i, 1
  %last = icmp eq i32 %next, 1024
  br i1 %last, label %done, label %loop
done:
  store i32 %mix.next, ptr addrspace(1) %out
  ret void
}

; a lane's atomics stay in order
; REMARK: remark: {{.*}} loop of 64 iterations unrolled by 16, with 8 instructions in each copy, and no remainder
; CHECK-LABEL: @atomic(
; CHECK-COUNT-16: atomicrmw add
; CHECK-NOT: atomicrmw
define ptx_kernel void @atomic(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %in, i32 %i
  %x = load i32, ptr addrspace(1) %at
  %turned = mul i32 %x, 5
  %mixed = xor i32 %turned, 77
  %shifted = lshr i32 %mixed, 3
  %masked = and i32 %shifted, 255
  %more = add i32 %mixed, %masked
  %less = sub i32 %more, %turned
  %old = atomicrmw add ptr addrspace(1) %out, i32 %less syncscope("device") monotonic
  %next = add nuw nsw i32 %i, 1
  %last = icmp eq i32 %next, 64
  br i1 %last, label %done, label %loop
done:
  ret void
}

; nothing divides the trip count
; CHECK-LABEL: @prime(
; CHECK-COUNT-1: load i32
; CHECK-NOT: load i32
define ptx_kernel void @prime(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %mix = phi i32 [ 0, %entry ], [ %mix.next, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %in, i32 %i
  %x = load i32, ptr addrspace(1) %at
  %turned = mul i32 %mix, 5
  %mixed = xor i32 %turned, %x
  %shifted = lshr i32 %mixed, 3
  %masked = and i32 %shifted, 255
  %mix.next = add i32 %mixed, %masked
  %next = add nuw nsw i32 %i, 1
  %last = icmp eq i32 %next, 131
  br i1 %last, label %done, label %loop
done:
  store i32 %mix.next, ptr addrspace(1) %out
  ret void
}

; the pipe for doubles is busy while another one counts
; CHECK-LABEL: @doubles(
; CHECK-COUNT-1: load double
; CHECK-NOT: load double
define ptx_kernel void @doubles(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi double [ 0.0, %entry ], [ %sum.next, %loop ]
  %at = getelementptr double, ptr addrspace(1) %in, i32 %i
  %x = load double, ptr addrspace(1) %at
  %square = fmul double %x, %x
  %cube = fmul double %square, %x
  %less = fadd double %cube, -1.0
  %half = fmul double %less, 0.5
  %sum.next = fadd double %sum, %half
  %next = add nuw nsw i32 %i, 1
  %last = icmp eq i32 %next, 64
  br i1 %last, label %done, label %loop
done:
  store double %sum.next, ptr addrspace(1) %out
  ret void
}

; iterations wait for other warps
; CHECK-LABEL: @barrier(
; CHECK-COUNT-1: call void @llvm.nvvm.barrier
; CHECK-NOT: call void @llvm.nvvm.barrier
define ptx_kernel void @barrier(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %mix = phi i32 [ 0, %entry ], [ %mix.next, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %in, i32 %i
  %x = load i32, ptr addrspace(1) %at
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %turned = mul i32 %mix, 5
  %mixed = xor i32 %turned, %x
  %shifted = lshr i32 %mixed, 3
  %masked = and i32 %shifted, 255
  %mix.next = add i32 %mixed, %masked
  %next = add nuw nsw i32 %i, 1
  %last = icmp eq i32 %next, 64
  br i1 %last, label %done, label %loop
done:
  store i32 %mix.next, ptr addrspace(1) %out
  ret void
}

; CHECK: [[OPEN]] = distinct !{[[OPEN]], [[UNROLLED:![0-9]+]]}
; CHECK: [[UNROLLED]] = !{!"warpwise.unrolled"}
; CHECK: [[CLOSED]] = distinct !{[[CLOSED]], [[DISABLE:![0-9]+]]}
; CHECK: [[DISABLE]] = !{!"llvm.loop.unroll.disable"}
