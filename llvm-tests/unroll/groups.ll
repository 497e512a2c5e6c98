; A loop that steps over threads runs in groups of four iterations with one test each, before the loop itself: where four
; more iterations follow, and where the number below which they do cannot wrap. What is loaded behind stores overlaps if
; nobody writes there; a loop that is the third of a nest runs in groups if what is around it strides over the grid.
; RUN: %opt -passes=unroll-loops,verify -S %s | %FileCheck %s
; RUN: %opt -passes=unroll-loops -disable-output -pass-remarks=warpwise -pass-remarks-missed=warpwise %s 2>&1 | %FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
; RUN: %opt -passes=unroll-loops -S %s -o %t.ll
; RUN: %warpwise simt --compare %s %t.ll --kernel sum --block 32 --arg f32[1024]:random:9 --arg f32[64]:zero --arg i32:513
; RUN: %warpwise simt --compare %s %t.ll --kernel sum --block 32 --arg f32[1024]:random:9 --arg f32[64]:zero --arg i32:1000
; RUN: %warpwise simt --compare %s %t.ll --kernel sum --block 32 --arg f32[1024]:random:9 --arg f32[64]:zero --arg i32:96
; RUN: %warpwise simt --compare %s %t.ll --kernel sum --block 32 --arg f32[1024]:random:9 --arg f32[64]:zero --arg i32:97
; RUN: %warpwise simt --compare %s %t.ll --kernel sum --block 32 --arg f32[1024]:random:9 --arg f32[64]:zero --arg i32:3
; RUN: %warpwise simt --compare %s %t.ll --kernel sum --block 32 --arg f32[1024]:random:9 --arg f32[64]:zero --arg i32:0
; RUN: %warpwise simt --compare %s %t.ll --kernel sum --block 32 --arg f32[1024]:random:9 --arg f32[64]:zero --arg i32:-2147483648
; RUN: %warpwise simt --compare %s %t.ll --kernel most --block 32 --arg i32[1024]:random:9 --arg i32[64]:zero --arg i32:1000 --arg i32:32
; RUN: %warpwise simt --compare %s %t.ll --kernel most --block 32 --arg i32[1024]:random:9 --arg i32[64]:zero --arg i32:20 --arg i32:2147483647
; RUN: %warpwise simt --compare %s %t.ll --kernel most --block 32 --arg i32[1024]:random:9 --arg i32[64]:zero --arg i32:20 --arg i32:1073741824
; RUN: %warpwise simt --compare %s %t.ll --kernel most --block 32 --arg i32[1024]:random:9 --arg i32[64]:zero --arg i32:20 --arg i32:-1
; RUN: %warpwise simt --compare %s %t.ll --kernel triad --block 32 --arg f32[1024]:random:9 --arg f32[1024]:zero --arg i64:999
; RUN: %warpwise simt --compare %s %t.ll --kernel rows --block 32 --arg f32[1024]:random:9 --arg f32[1024]:zero --arg i32:999
; REMARK: remark: {{.*}} loop of 6 instructions unrolled by 4 in groups: 1 load of an iteration can overlap with those of others (not measured)
; REMARK: remark: {{.*}} loop of 7 instructions unrolled by 4 in groups: 1 load of an iteration can overlap with those of others (not measured)
; REMARK: remark: {{.*}} loop of 8 instructions unrolled by 4 in groups: 1 load of an iteration can overlap with those of others (not measured)
; REMARK: remark: {{.*}} loop of 6 instructions unrolled by 4 in groups: 1 load of an iteration can overlap with those of others (not measured)
; REMARK: remark: {{.*}} loop of 8 instructions unrolled by 4 in groups: 2 loads of an iteration can overlap with those of others (not measured)
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.smax.i32(i32, i32)

; CHECK-LABEL: @sum(
; CHECK: [[REST:%.*]] = mul nuw nsw i32 %threads, 3
; CHECK: icmp sgt i32 %n, [[REST]]
; CHECK: %limit = select i1 {{.*}}, i32 {{.*}}, i32 -2147483648
; CHECK-COUNT-4: load float
; CHECK: icmp slt i32 {{.*}}, %limit
; CHECK: load float
; CHECK-NOT: load float
define ptx_kernel void @sum(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %threads = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %some = icmp slt i32 %tid, %n
  br i1 %some, label %loop, label %done
loop:
  %i = phi i32 [ %tid, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %at = getelementptr float, ptr addrspace(1) %in, i32 %i
  %x = load float, ptr addrspace(1) %at
  %more = fadd float %sum, %x
  %next = add nsw i32 %i, %threads
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %done
done:
  %all = phi float [ 0.0, %entry ], [ %more, %loop ]
  %place = getelementptr float, ptr addrspace(1) %out, i32 %tid
  store float %all, ptr addrspace(1) %place
  ret void
}

; An unsigned counter that may wrap, the test turned round, and a result that is used without a phi.
; CHECK-LABEL: @most(
; CHECK: icmp ult i32 %step, 536870911
; CHECK: %limit = select i1 {{.*}}, i32 {{.*}}, i32 0
; CHECK-COUNT-4: load i32
; CHECK: load i32
define ptx_kernel void @most(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n, i32 %step) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ %tid, %entry ], [ %next, %loop ]
  %most = phi i32 [ 0, %entry ], [ %more, %loop ]
  %place = and i32 %i, 1023
  %at = getelementptr i32, ptr addrspace(1) %in, i32 %place
  %x = load i32, ptr addrspace(1) %at
  %more = call i32 @llvm.smax.i32(i32 %most, i32 %x)
  %next = add i32 %i, %step
  %over = icmp ule i32 %n, %next
  br i1 %over, label %done, label %loop
done:
  %out_at = getelementptr i32, ptr addrspace(1) %out, i32 %tid
  store i32 %more, ptr addrspace(1) %out_at
  ret void
}

; CHECK-LABEL: @triad(
; CHECK-COUNT-4: load float
; CHECK: load float
define ptx_kernel void @triad(ptr noalias readonly %in, ptr noalias %out, i64 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = zext i32 %tid to i64
  %threads = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %step = zext i32 %threads to i64
  br label %loop
loop:
  %i = phi i64 [ %first, %entry ], [ %next, %loop ]
  %at = getelementptr float, ptr %in, i64 %i
  %x = load float, ptr %at
  %more = fadd float %x, 1.0
  %to = getelementptr float, ptr %out, i64 %i
  store float %more, ptr %to
  %next = add i64 %i, %step
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %done
done:
  ret void
}

; CHECK-LABEL: @rows(
; CHECK-COUNT-4: load float
; CHECK: load float
define ptx_kernel void @rows(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %blocks = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %threads = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  br label %row
row:
  %r = phi i32 [ %block, %entry ], [ %r.next, %row.done ]
  br label %loop
loop:
  %i = phi i32 [ %tid, %row ], [ %next, %loop ]
  %sum = phi float [ 0.0, %row ], [ %more, %loop ]
  %at = getelementptr float, ptr addrspace(1) %in, i32 %i
  %x = load float, ptr addrspace(1) %at
  %more = fadd float %sum, %x
  %next = add nsw i32 %i, %threads
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %row.done
row.done:
  %place = getelementptr float, ptr addrspace(1) %out, i32 %tid
  store float %more, ptr addrspace(1) %place
  %r.next = add nsw i32 %r, %blocks
  %r.again = icmp slt i32 %r.next, 4
  br i1 %r.again, label %row, label %done
done:
  ret void
}

; Few threads may run, and then the latency of what they gather counts.
; CHECK-LABEL: @gather(
; CHECK-COUNT-10: load
define ptx_kernel void @gather(ptr addrspace(1) %in, ptr addrspace(1) %places, ptr addrspace(1) %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %threads = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  br label %loop
loop:
  %i = phi i32 [ %tid, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %place.at = getelementptr i32, ptr addrspace(1) %places, i32 %i
  %place = load i32, ptr addrspace(1) %place.at
  %at = getelementptr float, ptr addrspace(1) %in, i32 %place
  %x = load float, ptr addrspace(1) %at
  %more = fadd float %sum, %x
  %next = add nsw i32 %i, %threads
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %done
done:
  store float %more, ptr addrspace(1) %out
  ret void
}
