; Slots for 64 threads already cost blocks of other sizes their place: the remark says which bound would help.
; RUN: %opt -passes=steer-spills -verify-each -pass-remarks-missed=warpwise -S %s 2>%t | %FileCheck %s
; RUN: %FileCheck %s --check-prefix=REMARK < %t

target triple = "nvptx64-nvidia-cuda"

; REMARK: stack object %array ([128 x i32], 512 bytes) stays in local memory (indexed by %div.k): the number of threads of a block is not known: __launch_bounds__(N), or -warpwise-block=N if every launch has that shape, would allow up to 96 threads' copies in shared memory

; CHECK-NOT: @warpwise_stack
; CHECK-NOT: warpwise.entry
define ptx_kernel void @kernel(ptr %in, ptr %out) #0 {
  %array = alloca [128 x i32], align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %from = getelementptr i32, ptr %in, i64 %wide
  %div.k = load i32, ptr %from, align 4
  %element = getelementptr inbounds i32, ptr %array, i32 %div.k
  store i32 %div.k, ptr %element, align 4
  %value = load i32, ptr %array, align 4
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %value, ptr %to, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" }
