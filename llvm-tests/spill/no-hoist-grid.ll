; Why work that all threads repeat stays where it is: a division that may be by zero where not every thread comes; a block
; of one warp; less than the barrier costs; shared memory that is unknown, full, or somebody else's. `hoist-all` takes
; what does not pay, but nothing that is not legal. Work that is cheap is not mentioned.
;
; RUN: %opt -passes='steer-spills<victims=none;hoist-grid>' -disable-output -pass-remarks-missed=warpwise %s 2>&1 | %FileCheck %s
; RUN: %opt -passes='steer-spills<victims=none;hoist-grid;hoist-all>' -disable-output -pass-remarks-missed=warpwise -pass-remarks=warpwise %s 2>&1 | %FileCheck %s --check-prefix=ALL

; CHECK: remark: {{.*}}work that all threads of the grid repeat stays in every thread: a division may have undefined behaviour in launches in which no thread reaches it, such as a division by zero
; CHECK: remark: {{.*}}work that all threads of the grid repeat stays in every thread: a block of 32 threads has one warp, which would save nothing
; CHECK: remark: {{.*}}work that all threads of the grid repeat stays in every thread: it takes {{[0-9]+}} issue cycles of each warp; a barrier and the load of 1 results from shared memory would take {{[0-9]+}}
; CHECK: remark: {{.*}}work that all threads of the grid repeat stays in every thread: the kernel has dynamic shared memory of unknown size
; CHECK: remark: {{.*}}work that all threads of the grid repeat stays in every thread: {{.*}} bytes are taken
; CHECK: remark: {{.*}}work that all threads of the grid repeat stays in every thread: the kernel is also called as a function
; CHECK-NOT: remark

; ALL: a division may have undefined behaviour
; ALL: is executed by one thread of each block
; ALL: is executed by one thread of each block
; ALL: the kernel has dynamic shared memory of unknown size
; ALL: bytes are taken
; ALL: the kernel is also called as a function
; ALL: 1 instruction that all threads of the grid would repeat is executed by one thread of each block

target triple = "nvptx64-nvidia-cuda"

@dynamic = external addrspace(3) global [0 x i32]
@full = internal addrspace(3) global [49152 x i8] undef

define ptx_kernel void @by_zero(ptr noalias %p, i64 %n, i64 %m) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %in = icmp ult i64 %wide, %n
  br i1 %in, label %go, label %end
go:
  %q = udiv i64 %n, %m
  %at = getelementptr i64, ptr %p, i64 %wide
  store i64 %q, ptr %at
  br label %end
end:
  ret void
}

define ptx_kernel void @one_warp(ptr noalias %p, i64 %n, i64 %m) #1 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = udiv i64 %n, %m
  %at = getelementptr i64, ptr %p, i32 %t
  store i64 %q, ptr %at
  ret void
}

define ptx_kernel void @cheap(ptr noalias %p, float %x, float %y) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = fdiv float %x, %y
  %at = getelementptr float, ptr %p, i32 %t
  store float %q, ptr %at
  ret void
}

define ptx_kernel void @unknown_size(ptr noalias %p, i64 %n, i64 %m) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = udiv i64 %n, %m
  %other = load i32, ptr addrspace(3) @dynamic
  %at = getelementptr i64, ptr %p, i32 %t
  store i64 %q, ptr %at
  store i32 %other, ptr %p
  ret void
}

define ptx_kernel void @no_room(ptr noalias %p, i64 %n, i64 %m) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = udiv i64 %n, %m
  %other = load i8, ptr addrspace(3) @full
  %at = getelementptr i64, ptr %p, i32 %t
  store i64 %q, ptr %at
  store i8 %other, ptr %p
  ret void
}

define ptx_kernel void @called(ptr noalias %p, i64 %n, i64 %m) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = udiv i64 %n, %m
  %at = getelementptr i64, ptr %p, i32 %t
  store i64 %q, ptr %at
  ret void
}

define void @caller(ptr %p) {
  call void @called(ptr %p, i64 7, i64 3)
  ret void
}

; one addition
define ptx_kernel void @little(ptr noalias %p, i32 %n) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = add i32 %n, 7
  %at = getelementptr i32, ptr %p, i32 %t
  store i32 %q, ptr %at
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="256" }
attributes #1 = { "target-cpu"="sm_90" "nvvm.maxntid"="32" }
