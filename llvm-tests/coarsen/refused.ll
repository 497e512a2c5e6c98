; Kernels whose threads each read and write an element, and which stay as they are.
; RUN: %opt -passes=coarsen-threads -disable-output -pass-remarks-missed=warpwise %s 2>&1 | %FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
; RUN: %opt -passes=coarsen-threads -S %s | %FileCheck %s --implicit-check-not=warpwise.group
; CHECK: define ptx_kernel void @atomic
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; threads that add to the same number may wait for each other, and nothing is said
define ptx_kernel void @atomic(ptr noundef %out, ptr noundef %in) {
entry:
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %block, %size
  %i = add i32 %first, %thread
  %index = sext i32 %i to i64
  %from = getelementptr inbounds float, ptr %in, i64 %index
  %to = getelementptr inbounds float, ptr %out, i64 %index
  %x = load float, ptr %from, align 4
  store float %x, ptr %to, align 4
  %old = atomicrmw add ptr %in, i32 1 monotonic
  ret void
}

; the place in the block is more than the number in the row
; REMARK: remark: {{.*}} threads are not coarsened: the kernel uses threadIdx.x or blockIdx.x for more
define ptx_kernel void @column(ptr noundef %out, ptr noundef %in) {
entry:
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %block, %size
  %i = add i32 %first, %thread
  %index = sext i32 %i to i64
  %from = getelementptr inbounds float, ptr %in, i64 %index
  %to = getelementptr inbounds float, ptr %out, i64 %index
  %x = load float, ptr %from, align 4
  %column = uitofp i32 %thread to float
  %y = fadd float %x, %column
  store float %y, ptr %to, align 4
  ret void
}

; what a thread loads decides about its way
; REMARK: remark: {{.*}} threads are not coarsened: neighbouring threads may take different ways
define ptx_kernel void @data(ptr noundef %out, ptr noundef %in) {
entry:
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %block, %size
  %i = add i32 %first, %thread
  %index = sext i32 %i to i64
  %from = getelementptr inbounds float, ptr %in, i64 %index
  %to = getelementptr inbounds float, ptr %out, i64 %index
  %x = load float, ptr %from, align 4
  %positive = fcmp ogt float %x, 0.0
  br i1 %positive, label %body, label %exit
body:
  store float %x, ptr %to, align 4
  br label %exit
exit:
  ret void
}

; the bound is not known before it is loaded
; REMARK: remark: {{.*}} threads are not coarsened: neighbouring threads may take different ways
define ptx_kernel void @loaded(ptr noundef %out, ptr noundef %in, ptr noundef %count) {
entry:
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %block, %size
  %i = add i32 %first, %thread
  %index = sext i32 %i to i64
  %from = getelementptr inbounds float, ptr %in, i64 %index
  %to = getelementptr inbounds float, ptr %out, i64 %index
  %n = load i32, ptr %count, align 4
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %body, label %exit
body:
  %x = load float, ptr %from, align 4
  store float %x, ptr %to, align 4
  br label %exit
exit:
  ret void
}

; a place that was loaded
; REMARK: remark: {{.*}} threads are not coarsened: neighbouring threads access places
define ptx_kernel void @gather(ptr noundef %out, ptr noundef %in) {
entry:
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %block, %size
  %i = add i32 %first, %thread
  %index = sext i32 %i to i64
  %from = getelementptr inbounds float, ptr %in, i64 %index
  %to = getelementptr inbounds float, ptr %out, i64 %index
  %place = load i32, ptr %from, align 4
  %wide = sext i32 %place to i64
  %at = getelementptr inbounds float, ptr %in, i64 %wide
  %x = load float, ptr %at, align 4
  store float %x, ptr %to, align 4
  ret void
}

; 32 bits that may wrap between neighbours, of which nothing says that they do not
; REMARK: remark: {{.*}} threads are not coarsened: neighbouring threads access places
define ptx_kernel void @wraps(ptr noundef %out, ptr noundef %in, i32 noundef %off) {
entry:
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %block, %size
  %i = add i32 %first, %thread
  %index = sext i32 %i to i64
  %from = getelementptr inbounds float, ptr %in, i64 %index
  %to = getelementptr inbounds float, ptr %out, i64 %index
  %moved = add i32 %i, %off
  %far = sext i32 %moved to i64
  %at = getelementptr inbounds float, ptr %in, i64 %far
  %x = load float, ptr %at, align 4
  store float %x, ptr %to, align 4
  ret void
}

; one element past the place of a wide access
; REMARK: remark: {{.*}} threads are not coarsened: elements of neighbouring threads may begin
define ptx_kernel void @next(ptr noundef %out, ptr noundef %in) {
entry:
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %block, %size
  %i = add i32 %first, %thread
  %index = sext i32 %i to i64
  %from = getelementptr inbounds float, ptr %in, i64 %index
  %to = getelementptr inbounds float, ptr %out, i64 %index
  %beside = getelementptr inbounds i8, ptr %from, i64 4
  %x = load float, ptr %beside, align 4
  store float %x, ptr %to, align 4
  ret void
}

; nothing waits for a store, and nothing is said
define ptx_kernel void @filled(ptr noundef %out, ptr noundef %in) {
entry:
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %block, %size
  %i = add i32 %first, %thread
  %index = sext i32 %i to i64
  %from = getelementptr inbounds float, ptr %in, i64 %index
  %to = getelementptr inbounds float, ptr %out, i64 %index
  store float 1.0, ptr %to, align 4
  ret void
}

; eight bytes a thread are enough, and nothing is said
define ptx_kernel void @doubles(ptr noundef %out, ptr noundef %in) {
entry:
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %block, %size
  %i = add i32 %first, %thread
  %index = sext i32 %i to i64
  %from = getelementptr inbounds float, ptr %in, i64 %index
  %to = getelementptr inbounds float, ptr %out, i64 %index
  %wide.from = getelementptr inbounds double, ptr %in, i64 %index
  %wide.to = getelementptr inbounds double, ptr %out, i64 %index
  %x = load double, ptr %wide.from, align 8
  store double %x, ptr %wide.to, align 8
  ret void
}

; nor of a loop
define ptx_kernel void @loop(ptr noundef %out, ptr noundef %in) {
entry:
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %block, %size
  %i = add i32 %first, %thread
  %index = sext i32 %i to i64
  %from = getelementptr inbounds float, ptr %in, i64 %index
  %to = getelementptr inbounds float, ptr %out, i64 %index
  br label %again
again:
  %turn = phi i32 [ 0, %entry ], [ %next, %again ]
  %x = load float, ptr %from, align 4
  store float %x, ptr %to, align 4
  %next = add i32 %turn, 1
  %more = icmp ult i32 %next, 3
  br i1 %more, label %again, label %exit
exit:
  ret void
}
