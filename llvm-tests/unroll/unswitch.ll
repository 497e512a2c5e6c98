; A condition on which all lanes agree is tested before its loop, as far out as it stays the same; LLVM leaves that alone on
; targets where lanes may part. Conditions on which lanes may differ stay, and so does what waits in a loop.
; RUN: %opt -passes=unswitch-loops -S %s | %FileCheck %s
; RUN: %opt -passes=unswitch-loops -disable-output -pass-remarks=warpwise -pass-remarks-missed=warpwise %s 2>&1 | %FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
; RUN: %opt -passes=unswitch-loops -S %s -o %t.ll
; RUN: %warpwise simt --compare %s %t.ll --kernel clips --block 32 --arg i32[64]:random:9 --arg i32[32]:zero --arg i32:20 --arg i32:1
; RUN: %warpwise simt --compare %s %t.ll --kernel clips --block 32 --arg i32[64]:random:9 --arg i32[32]:zero --arg i32:20 --arg i32:0
; RUN: %warpwise simt --compare %s %t.ll --kernel both --block 32 --arg i32[64]:random:9 --arg i32[32]:zero --arg i32:9 --arg i32:1
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)

; REMARK: remark: {{.*}} a condition that all lanes and iterations share is tested before the loop
; CHECK-LABEL: @clips(
; CHECK: entry:
; CHECK: br i1 %clip{{.*}}, label %{{.*}}, label %
; CHECK-NOT: br i1 %clip{{.*}}
; CHECK-NOT: select i1 %clip
; CHECK: ret void
define ptx_kernel void @clips(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n, i32 %word) {
entry:
  %clip = icmp ne i32 %word, 0
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %sum = phi i32 [ 0, %entry ], [ %sum.next, %latch ]
  %place = add i32 %tid, %i
  br i1 %clip, label %least, label %round
least:
  %low = call i32 @llvm.smin.i32(i32 %place, i32 63)
  br label %latch
round:
  %rest = urem i32 %place, 60
  br label %latch
latch:
  %index = phi i32 [ %low, %least ], [ %rest, %round ]
  %wide = zext nneg i32 %index to i64
  %at = getelementptr i32, ptr addrspace(1) %in, i64 %wide
  %x = load i32, ptr addrspace(1) %at
  %sum.next = add i32 %sum, %x
  %next = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  %own = zext nneg i32 %tid to i64
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %own
  store i32 %sum.next, ptr addrspace(1) %to
  ret void
}

; what differs between lanes stays in the loop
; REMARK: remark: {{.*}} a condition that all lanes and iterations share is tested before the loop
; CHECK-LABEL: @both(
; CHECK: br i1 %flag{{.*}}, label %{{.*}}, label %
; CHECK-COUNT-2: select i1 %is.odd
; CHECK-NOT: freeze
; CHECK: ret void
define ptx_kernel void @both(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n, i32 %word) {
entry:
  %flag = icmp ne i32 %word, 0
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %low = and i32 %tid, 1
  %is.odd = icmp ne i32 %low, 0
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %sum = phi i32 [ 0, %entry ], [ %sum.next, %latch ]
  %place = add i32 %tid, %i
  %wide = zext nneg i32 %place to i64
  %at = getelementptr i32, ptr addrspace(1) %in, i64 %wide
  %x = load i32, ptr addrspace(1) %at
  %twice = mul i32 %x, 3
  %chosen = select i1 %is.odd, i32 %twice, i32 %i
  br i1 %flag, label %then, label %latch
then:
  %mixed = xor i32 %chosen, %x
  br label %latch
latch:
  %value = phi i32 [ %mixed, %then ], [ %chosen, %loop ]
  %sum.next = add i32 %sum, %value
  %next = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  %own = zext nneg i32 %tid to i64
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %own
  store i32 %sum.next, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: @waits(
; CHECK: loop:
; CHECK: br i1 %flag
define ptx_kernel void @waits(ptr addrspace(1) %out, i32 %n, i1 %flag) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %flag, label %then, label %latch
then:
  store volatile i32 %i, ptr addrspace(1) %out
  br label %latch
latch:
  %next = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; a product and a sum that could meet in one block
; REMARK: remark: {{.*}} a condition stays in its loop: without it, other products and sums could become multiply-adds
; CHECK-LABEL: @products(
; CHECK: loop:
; CHECK: br i1 %flag
define ptx_kernel void @products(ptr addrspace(1) %out, float %a, i32 %n, i1 %flag) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %latch ]
  %x = uitofp nneg i32 %i to float
  %product = fmul contract float %x, %a
  br i1 %flag, label %then, label %latch
then:
  %more.of = fadd contract float %sum, %product
  br label %latch
latch:
  %sum.next = phi float [ %more.of, %then ], [ %product, %loop ]
  %next = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  store float %sum.next, ptr addrspace(1) %out
  ret void
}

; A product of halves that comes to the next iteration's sum as a float is a half again once the select has gone: ptxas could join
; the two if it unrolled the loop.
; REMARK: remark: {{.*}} a condition stays in its loop: without it, other products and sums could become multiply-adds
; CHECK-LABEL: @halves(
; CHECK: loop:
; CHECK: select i1 %flag
define ptx_kernel void @halves(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n, i32 %word) {
entry:
  %flag = icmp ne i32 %word, 0
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %last = phi float [ 1.0, %entry ], [ %kept, %loop ]
  %wide = zext nneg i32 %i to i64
  %at = getelementptr half, ptr addrspace(1) %in, i64 %wide
  %x = load half, ptr addrspace(1) %at
  %narrow = fptrunc contract float %last to half
  %sum = fadd contract half %narrow, 1.0
  %product = fmul contract half %sum, %x
  %as.float = fpext contract half %product to float
  %kept = select i1 %flag, float %as.float, float %last
  %next = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  store float %kept, ptr addrspace(1) %out
  ret void
}
