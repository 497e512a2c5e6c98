; Small arrays of words that ptxas keeps in registers, selecting among them, although they are indexed: up to seven words
; whatever is done with them, up to ten with few accesses at places that vary. Others, and elements of other sizes, are in
; local memory.
; RUN: %opt -passes=steer-spills -verify-each -pass-remarks=warpwise -pass-remarks-missed=warpwise -disable-output %s 2>&1 \
; RUN:   | %FileCheck %s
; RUN: %opt -passes='steer-spills<victims=rare>' -verify-each -pass-remarks=warpwise -disable-output %s 2>&1 \
; RUN:   | %FileCheck --check-prefix=ALL %s

target triple = "nvptx64-nvidia-cuda"

; CHECK:     stack object %seven{{.*}} is left to ptxas{{.*}}: it keeps 7 words in registers and selects among them; -warpwise-steer=all+rare moves it anyway
; CHECK:     stack object %ten{{.*}} moved from local to shared memory
; CHECK:     stack object %three{{.*}} is left to ptxas{{.*}}: it keeps 3 words in registers
; CHECK:     stack object %doubles{{.*}} moved from local to shared memory
; CHECK:     stack object %bytes{{.*}} moved from local to shared memory
; CHECK-NOT: stack object
; ALL-COUNT-5: moved from local to shared memory

define ptx_kernel void @seven(ptr %out, i32 %a, i32 %b, i32 %c) #0 {
  %seven = alloca [7 x i32], align 4
  %pa = getelementptr inbounds i32, ptr %seven, i32 %a
  %pb = getelementptr inbounds i32, ptr %seven, i32 %b
  %pc = getelementptr inbounds i32, ptr %seven, i32 %c
  store i32 0, ptr %seven, align 4
  store i32 %b, ptr %pa, align 4
  store i32 %c, ptr %pb, align 4
  %value = load i32, ptr %pc, align 4
  store i32 %value, ptr %out, align 4
  ret void
}

define ptx_kernel void @ten(ptr %out, i32 %a, i32 %b, i32 %c) #0 {
  %ten = alloca [10 x i32], align 4
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %pa = getelementptr inbounds i32, ptr %ten, i32 %lane
  %pb = getelementptr inbounds i32, ptr %ten, i32 %b
  %pc = getelementptr inbounds i32, ptr %ten, i32 %c
  %va = load i32, ptr %pa, align 4
  store i32 %b, ptr %pa, align 4
  %vb = load i32, ptr %pb, align 4
  store i32 %va, ptr %pb, align 4
  %vc = load i32, ptr %pc, align 4
  store i32 %vb, ptr %pc, align 4
  %sum = add i32 %vb, %vc
  store i32 %sum, ptr %out, align 4
  ret void
}

define ptx_kernel void @three(ptr %out, i32 %a, i32 %n) #0 {
entry:
  %three = alloca [3 x float], align 4
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = add i32 %a, %i
  %pa = getelementptr inbounds float, ptr %three, i32 %at
  %pi = getelementptr inbounds float, ptr %three, i32 %i
  %x = load float, ptr %pa, align 4
  %y = load float, ptr %pi, align 4
  %sum = fadd float %x, %y
  store float %sum, ptr %pa, align 4
  store float %x, ptr %pi, align 4
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end

end:
  %value = load float, ptr %three, align 4
  store float %value, ptr %out, align 4
  ret void
}

define ptx_kernel void @doubles(ptr %out, i32 %a) #0 {
  %doubles = alloca [2 x double], align 8
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %pa = getelementptr inbounds double, ptr %doubles, i32 %lane
  store double 1.0, ptr %pa, align 8
  %value = load double, ptr %doubles, align 8
  store double %value, ptr %out, align 8
  ret void
}

define ptx_kernel void @bytes(ptr %out, i32 %a) #0 {
  %bytes = alloca [64 x i8], align 1
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %pa = getelementptr inbounds i8, ptr %bytes, i32 %lane
  store i8 1, ptr %pa, align 1
  %value = load i8, ptr %bytes, align 1
  store i8 %value, ptr %out, align 1
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.laneid()

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="256" }
