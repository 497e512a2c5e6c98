; Loads that stay behind a division, one for each reason.
; RUN: %opt -passes=steer-spills -S %s | %FileCheck %s
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [32 x float] poison
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @other()

; something is stored between: it could be what is loaded
; CHECK-LABEL: @stores(
; CHECK: fdiv
; CHECK: %y = load
define ptx_kernel void @stores(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %in, i32 %tid
  %x = load float, ptr addrspace(1) %p
  %to = getelementptr float, ptr addrspace(1) %out, i32 %tid
  %d = fdiv float 1.0, %x
  store float %d, ptr addrspace(1) %to
  %q = getelementptr float, ptr addrspace(1) %p, i32 32
  %y = load float, ptr addrspace(1) %q
  %e = fadd float %d, %y
  store float %e, ptr addrspace(1) %to
  ret void
}

; other lanes may write before they come to the barrier
; CHECK-LABEL: @waits(
; CHECK: fdiv
; CHECK: %y = load
define ptx_kernel void @waits(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %in, i32 %tid
  %x = load float, ptr addrspace(1) %p
  %to = getelementptr float, ptr addrspace(1) %out, i32 %tid
  %d = fdiv float 1.0, %x
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %q = getelementptr float, ptr addrspace(1) %p, i32 32
  %y = load float, ptr addrspace(1) %q
  %e = fadd float %d, %y
  store float %e, ptr addrspace(1) %to
  ret void
}

; the function may write, or not return
; CHECK-LABEL: @calls(
; CHECK: fdiv
; CHECK: %y = load
define ptx_kernel void @calls(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %in, i32 %tid
  %x = load float, ptr addrspace(1) %p
  %to = getelementptr float, ptr addrspace(1) %out, i32 %tid
  %d = fdiv float 1.0, %x
  call void @other()
  %q = getelementptr float, ptr addrspace(1) %p, i32 32
  %y = load float, ptr addrspace(1) %q
  %e = fadd float %d, %y
  store float %e, ptr addrspace(1) %to
  ret void
}

; so does an atomic access
; CHECK-LABEL: @atomic(
; CHECK: fdiv
; CHECK: %y = load
define ptx_kernel void @atomic(ptr addrspace(1) %in, ptr addrspace(1) %out, ptr addrspace(1) %n) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %in, i32 %tid
  %x = load float, ptr addrspace(1) %p
  %to = getelementptr float, ptr addrspace(1) %out, i32 %tid
  %d = fdiv float 1.0, %x
  %a = atomicrmw add ptr addrspace(1) %n, i32 1 monotonic
  %q = getelementptr float, ptr addrspace(1) %p, i32 32
  %y = load float, ptr addrspace(1) %q
  %e = fadd float %d, %y
  store float %e, ptr addrspace(1) %to
  ret void
}

; the load must be where it is
; CHECK-LABEL: @volatile(
; CHECK: fdiv
; CHECK: %y = load
define ptx_kernel void @volatile(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %in, i32 %tid
  %x = load float, ptr addrspace(1) %p
  %to = getelementptr float, ptr addrspace(1) %out, i32 %tid
  %d = fdiv float 1.0, %x
  %q = getelementptr float, ptr addrspace(1) %p, i32 32
  %y = load volatile float, ptr addrspace(1) %q
  %e = fadd float %d, %y
  store float %e, ptr addrspace(1) %to
  ret void
}

; the place is a result of the division
; CHECK-LABEL: @needs(
; CHECK: fdiv
; CHECK: %y = load
define ptx_kernel void @needs(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %in, i32 %tid
  %x = load float, ptr addrspace(1) %p
  %to = getelementptr float, ptr addrspace(1) %out, i32 %tid
  %d = fdiv float 1.0, %x
  %i = fptosi float %d to i32
  %q = getelementptr float, ptr addrspace(1) %in, i32 %i
  %y = load float, ptr addrspace(1) %q
  %e = fadd float %d, %y
  store float %e, ptr addrspace(1) %to
  ret void
}

; the place is loaded by what must be where it is
; CHECK-LABEL: @gathers(
; CHECK: fdiv
; CHECK: %y = load
define ptx_kernel void @gathers(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %in, i32 %tid
  %x = load float, ptr addrspace(1) %p
  %to = getelementptr float, ptr addrspace(1) %out, i32 %tid
  %d = fdiv float 1.0, %x
  %q = getelementptr i32, ptr addrspace(1) %p, i32 32
  %i = load volatile i32, ptr addrspace(1) %q
  %r = getelementptr float, ptr addrspace(1) %in, i32 %i
  %y = load float, ptr addrspace(1) %r
  %e = fadd float %d, %y
  store float %e, ptr addrspace(1) %to
  ret void
}

; shared memory is near
; CHECK-LABEL: @shared(
; CHECK: fdiv
; CHECK: %y = load
define ptx_kernel void @shared(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %in, i32 %tid
  %x = load float, ptr addrspace(1) %p
  %to = getelementptr float, ptr addrspace(1) %out, i32 %tid
  %d = fdiv float 1.0, %x
  %q = getelementptr float, ptr addrspace(3) @tile, i32 %tid
  %y = load float, ptr addrspace(3) %q
  %e = fadd float %d, %y
  store float %e, ptr addrspace(1) %to
  ret void
}

; all lanes load one place: it is in the first-level cache
; CHECK-LABEL: @same(
; CHECK: fdiv
; CHECK: %y = load
define ptx_kernel void @same(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %in, i32 %tid
  %x = load float, ptr addrspace(1) %p
  %to = getelementptr float, ptr addrspace(1) %out, i32 %tid
  %d = fdiv float 1.0, %x
  %y = load float, ptr addrspace(1) %in
  %e = fadd float %d, %y
  store float %e, ptr addrspace(1) %to
  ret void
}

; an approximation is one instruction
; CHECK-LABEL: @approximate(
; CHECK: fdiv
; CHECK: %y = load
define ptx_kernel void @approximate(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %in, i32 %tid
  %x = load float, ptr addrspace(1) %p
  %to = getelementptr float, ptr addrspace(1) %out, i32 %tid
  %d = fdiv fast float 1.0, %x
  %q = getelementptr float, ptr addrspace(1) %p, i32 32
  %y = load float, ptr addrspace(1) %q
  %e = fadd float %d, %y
  store float %e, ptr addrspace(1) %to
  ret void
}

; in double precision the rare cases are a call
; CHECK-LABEL: @double(
; CHECK: fdiv
; CHECK: %y = load
define ptx_kernel void @double(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %in, i32 %tid
  %x = load float, ptr addrspace(1) %p
  %to = getelementptr float, ptr addrspace(1) %out, i32 %tid
  %v = fpext float %x to double
  %w = fdiv double 1.0, %v
  %d = fptrunc double %w to float
  %q = getelementptr float, ptr addrspace(1) %p, i32 32
  %y = load float, ptr addrspace(1) %q
  %e = fadd float %d, %y
  store float %e, ptr addrspace(1) %to
  ret void
}

; four registers may wait for a division: the first load moves, the second stays
; CHECK-LABEL: @many(
; CHECK: fdiv
; CHECK: %y = load
define ptx_kernel void @many(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %in, i32 %tid
  %x = load float, ptr addrspace(1) %p
  %to = getelementptr float, ptr addrspace(1) %out, i32 %tid
  %d = fdiv float 1.0, %x
  %q = getelementptr float, ptr addrspace(1) %p, i32 32
  %z = load <4 x float>, ptr addrspace(1) %q
  %r = getelementptr float, ptr addrspace(1) %p, i32 64
  %y = load float, ptr addrspace(1) %r
  %v = extractelement <4 x float> %z, i32 3
  %c = fadd float %d, %v
  %e = fadd float %c, %y
  store float %e, ptr addrspace(1) %to
  ret void
}
