; A kernel follows a list: the pointer that is loaded through is loaded through itself. Asking which memory it points to came
; back to the question, without end.
; RUN: %opt -passes=warpwise-remarks -pass-remarks-analysis=warpwise -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -passes=steer-spills -disable-output %s

target triple = "nvptx64-nvidia-cuda"

; CHECK: remark

define ptx_kernel void @kernel(ptr %heads, ptr %out, i32 %k) #0 {
entry:
  %array = alloca [16 x i32], align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %from = getelementptr ptr, ptr %heads, i64 %wide
  %head = load ptr, ptr %from, align 8
  br label %loop

loop:
  %node = phi ptr [ %head, %entry ], [ %next, %loop ]
  %key.at = getelementptr i8, ptr %node, i64 8
  %key = load i32, ptr %key.at, align 4
  %low = and i32 %key, 15
  %slot = getelementptr inbounds i32, ptr %array, i32 %low
  store i32 %key, ptr %slot, align 4
  %next = load ptr, ptr %node, align 8
  %end = icmp eq ptr %next, null
  br i1 %end, label %done, label %loop

done:
  %last = getelementptr inbounds i32, ptr %array, i32 %k
  %value = load i32, ptr %last, align 4
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %value, ptr %to, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="128" }
