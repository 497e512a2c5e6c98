; Four neighbouring threads become one where each reads and writes an element: with accesses four times as wide, in large grids,
; if the four blocks are within the bound and arguments are aligned. Otherwise the kernel runs as it is.
; RUN: %opt -passes=coarsen-threads -S %s | %FileCheck %s
; RUN: %opt -passes=coarsen-threads -disable-output -pass-remarks=warpwise %s 2>&1 | %FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
; RUN: %opt -passes='warpwise<no-coarsen>' -S %s | %FileCheck %s --check-prefix=OFF --implicit-check-not=warpwise.group
; RUN: %opt -passes='default<O2>' -S %s | %FileCheck %s --check-prefix=DEFAULT
; RUN: %opt -passes='coarsen-threads<always>' -S %s -o %t.ll
; RUN: %warpwise simt --compare %s %t.ll -k scaled --grid 9 --block 48 -a 'f32[512]:zero' -a 'f32[512]:random:1' -a i32:420
; RUN: %warpwise simt --compare %s %t.ll -k constant --grid 8 --block 64 -a 'i32[512]:zero' -a 'i32[512]:iota'
; RUN: %warpwise simt --compare %s %t.ll -k constant --grid 8 --block 32 -a 'i32[512]:zero' -a 'i32[512]:iota'
; RUN: %warpwise simt --compare %s %t.ll -k image --grid 4,2 --block 16,2 -a 'f32[512]:zero' -a 'i32[512]:random:2' -a i32:64 -a i32:3
; RUN: %warpwise simt --compare %s %t.ll -k image --grid 4,2 --block 16,2 -a 'f32[512]:zero' -a 'i32[512]:random:2' -a i32:66 -a i32:3
; REMARK: remark: {{.*}} 4 neighbouring threads become one in grids of 2097152 threads or more: 4 bytes a thread in flight are too few (not measured)
; REMARK: remark: {{.*}} 4 neighbouring threads become one in grids of 2097152 threads or more: 4 bytes
; REMARK: remark: {{.*}} 4 neighbouring threads become one in grids of 2097152 threads or more: 1 to 4 bytes
; OFF: define ptx_kernel void @scaled(
; DEFAULT: warpwise.group:
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: @scaled(
; CHECK: %[[THREADS:.*]] = mul i32 %{{.*}}, %{{.*}}
; CHECK: icmp uge i32 %[[THREADS]], 2097152
; CHECK: %[[GROUP:.*]] = and i32 %{{.*}}, -4
; the last thread of the four blocks, which must not wrap
; CHECK: icmp sle i32
; CHECK: icmp slt i32 %{{.*}}, %n
; CHECK: icmp slt i32 %{{.*}}, %n
; CHECK: and i32 %{{.*}}, 15
; CHECK: and i32 %{{.*}}, 15
; CHECK: warpwise.first:
; CHECK: icmp eq i32 %[[GROUP]]
; CHECK: load float, {{.*}}, align 16
; CHECK: load float, {{.*}}, align 4
; CHECK: load float, {{.*}}, align 8
; CHECK: load float, {{.*}}, align 4
; CHECK: store float {{.*}}, align 16
; CHECK-NOT: br i1 true
define ptx_kernel void @scaled(ptr noundef %out, ptr noundef %in, i32 noundef %n) {
entry:
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %block, %size
  %i = add i32 %first, %thread
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %body, label %exit
body:
  %index = sext i32 %i to i64
  %from = getelementptr inbounds float, ptr %in, i64 %index
  %x = load float, ptr %from, align 4
  %y = fmul float %x, 2.0
  %to = getelementptr inbounds float, ptr %out, i64 %index
  store float %y, ptr %to, align 4
  br label %exit
exit:
  ret void
}

; blocks of the constant's size, and no bound
; CHECK-LABEL: @constant(
; CHECK: icmp eq i32 %{{.*}}, 64
; CHECK: load i32, {{.*}}, align 16
define ptx_kernel void @constant(ptr noundef %out, ptr noundef %in) {
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %block to i64
  %first = shl i64 %wide, 6
  %column = zext i32 %thread to i64
  %i = add i64 %first, %column
  %from = getelementptr inbounds i32, ptr %in, i64 %i
  %x = load i32, ptr %from, align 4
  %y = add i32 %x, 7
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %y, ptr %to, align 4
  ret void
}

; rows begin at places that are aligned if the width is a multiple of four
; CHECK-LABEL: @image(
; CHECK: mul i32 %{{.*}}
; CHECK: call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
; CHECK: and i32 %{{.*}}, 3
; CHECK: load i8, {{.*}}, align 4
define ptx_kernel void @image(ptr noundef %out, ptr noundef %in, i32 noundef %w, i32 noundef %h) {
entry:
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %block, %size
  %x = add i32 %first, %thread
  %block.y = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %size.y = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %thread.y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %first.y = mul i32 %block.y, %size.y
  %y = add i32 %first.y, %thread.y
  %in.x = icmp slt i32 %x, %w
  %in.y = icmp slt i32 %y, %h
  %inside = and i1 %in.x, %in.y
  br i1 %inside, label %body, label %exit
body:
  %row = mul nsw i32 %y, %w
  %i = add nsw i32 %row, %x
  %index = sext i32 %i to i64
  %from = getelementptr inbounds i8, ptr %in, i64 %index
  %byte = load i8, ptr %from, align 1
  %value = uitofp i8 %byte to float
  %to = getelementptr inbounds float, ptr %out, i64 %index
  store float %value, ptr %to, align 4
  br label %exit
exit:
  ret void
}
