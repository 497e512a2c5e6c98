; Nothing is known of the block's size. An array that lanes access at different places in a loop is worth some of the blocks
; that fit, also of smaller blocks than it has slots for, as is one that the cache has no room for; one that they access at the
; same place is not.
; RUN: %opt -passes=steer-spills -verify-each -pass-remarks-missed=warpwise -S %s 2>%t | %FileCheck %s
; RUN: %FileCheck %s --check-prefix=REMARK < %t

target triple = "nvptx64-nvidia-cuda"

; REMARK: stack object %array ([8 x i64], 64 bytes) stays in local memory (indexed by %at): not in registers: a loop that indexes it has a trip count that is not constant; not in shared memory: the number of threads of a block is not known: __launch_bounds__(N), or -warpwise-block=N if every launch has that shape, would allow up to 768 threads' copies in shared memory

; CHECK: @warpwise_stack_apart.slots = internal addrspace(3) global [32768 x i8]
; CHECK: @warpwise_stack_full.slots = internal addrspace(3) global [32768 x i8]
; CHECK-NOT: @warpwise_stack_together

; CHECK-LABEL: @apart(
; CHECK: icmp ule i32 %{{.*}}, 224
define ptx_kernel void @apart(ptr %in, ptr %out, i32 %n) #0 {
entry:
  %array = alloca [16 x i64], align 8
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %from = getelementptr i64, ptr %in, i64 %wide
  %x = load i64, ptr %from, align 8
  br label %loop

loop:
  %i = phi i32 [ %tid, %entry ], [ %next, %loop ]
  %at = and i32 %i, 15
  %slot = getelementptr inbounds i64, ptr %array, i32 %at
  %old = load i64, ptr %slot, align 8
  %new = add i64 %old, %x
  store i64 %new, ptr %slot, align 8
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end

end:
  %to = getelementptr i64, ptr %out, i64 %wide
  store i64 %new, ptr %to, align 8
  ret void
}

; CHECK-LABEL: @full(
; CHECK: icmp ule i32 %{{.*}}, 224
define ptx_kernel void @full(ptr %in, ptr %out, i32 %n) #0 {
entry:
  %array = alloca [16 x i64], align 8
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %from = getelementptr i64, ptr %in, i64 %wide
  %x = load i64, ptr %from, align 8
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = and i32 %i, 15
  %slot = getelementptr inbounds i64, ptr %array, i32 %at
  %old = load i64, ptr %slot, align 8
  %new = add i64 %old, %x
  store i64 %new, ptr %slot, align 8
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end

end:
  %to = getelementptr i64, ptr %out, i64 %wide
  store i64 %new, ptr %to, align 8
  ret void
}

; CHECK-LABEL: @together(
; CHECK-NOT: warpwise.entry
define ptx_kernel void @together(ptr %in, ptr %out, i32 %n) #0 {
entry:
  %array = alloca [8 x i64], align 8
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %from = getelementptr i64, ptr %in, i64 %wide
  %x = load i64, ptr %from, align 8
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = and i32 %i, 7
  %slot = getelementptr inbounds i64, ptr %array, i32 %at
  %old = load i64, ptr %slot, align 8
  %new = add i64 %old, %x
  store i64 %new, ptr %slot, align 8
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end

end:
  %to = getelementptr i64, ptr %out, i64 %wide
  store i64 %new, ptr %to, align 8
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" }
