; -warpwise-limit=N carries out the first N plans and announces each; what comes later stays as it is.
; RUN: %opt -warpwise-limit=0 -pass-remarks=warpwise -pass-remarks-missed=warpwise -passes='fuse-branches<always>' -S %s 2>&1 | %FileCheck %s --check-prefix=NONE
; RUN: %opt -warpwise-limit=1 -pass-remarks=warpwise -pass-remarks-missed=warpwise -passes='fuse-branches<always>' -S %s 2>&1 | %FileCheck %s --check-prefix=ONE
; RUN: %opt -pass-remarks=warpwise -passes='fuse-branches<always;limit=9>' -S %s 2>&1 | %FileCheck %s --check-prefix=ALL
; RUN: %opt -pass-remarks=warpwise -passes='fuse-branches<always>' -S %s 2>&1 | %FileCheck %s --check-prefix=OFF
; The count goes on from pass to pass, and a pass's own limit is its own.
; RUN: %opt -warpwise-limit=3 -pass-remarks=warpwise -pass-remarks-missed=warpwise -passes='fuse-branches<always>,annotate-uniform' -disable-output %s 2>&1 | %FileCheck %s --check-prefix=BOTH
; RUN: %opt -pass-remarks=warpwise -passes='fuse-branches<always;limit=1>,annotate-uniform<limit=1>' -disable-output %s 2>&1 | %FileCheck %s --check-prefix=OWN
; Nothing is left of a pass that may carry out nothing.
; RUN: %opt -warpwise-limit=0 -passes='warpwise<block=64;regs=16>' -S %s -o %t.limited
; RUN: %opt -passes=verify -S %s -o %t.plain
; RUN: diff %t.limited %t.plain
; RUN: %not %opt -warpwise-limit=many -passes=fuse-branches -disable-output %s 2>&1 | %FileCheck %s --check-prefix=BAD

; NONE-DAG: plan 1 of fuse-branches in kernel two: divergent branch fused: {{.*}}; left out, the limit is 0
; NONE-DAG: plan 2 of fuse-branches in kernel two: divergent branch fused: {{.*}}; left out, the limit is 0
; NONE: br i1 %div.first
; NONE: br i1 %div.second

; branches are taken from the last to the first
; ONE-DAG: plan 1 of fuse-branches in kernel two: divergent branch fused:
; ONE-DAG: plan 2 of fuse-branches in kernel two: divergent branch fused: {{.*}}; left out, the limit is 1
; ONE: br i1 %div.first
; ONE-NOT: br i1 %div.second

; ALL-DAG: plan 1 of fuse-branches in kernel two: divergent branch fused:
; ALL-DAG: plan 2 of fuse-branches in kernel two: divergent branch fused:
; ALL-NOT: left out
; ALL-NOT: br i1 %div

; OFF-NOT: plan {{[0-9]}}
; OFF: define

; BOTH: plan 2 of fuse-branches
; BOTH: plan 3 of annotate-uniform in kernel two: values annotated as uniform

; OWN: plan 1 of fuse-branches
; OWN: plan 1 of annotate-uniform

; BAD: takes a whole number from 0 to 4294967295, not 'many'

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @two(ptr %out, i32 %uni.a) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %out, i32 %tid
  %uni.b = mul i32 %uni.a, 7
  %bit = and i32 %tid, 1
  %div.first = icmp eq i32 %bit, 0
  br i1 %div.first, label %yes.1, label %no.1

yes.1:
  %t.1 = mul i32 %uni.b, %tid
  store i32 %t.1, ptr %at
  br label %join.1

no.1:
  %f.1 = mul i32 %uni.a, %tid
  store i32 %f.1, ptr %at
  br label %join.1

join.1:
  %next = getelementptr i32, ptr %at, i32 1024
  %div.second = icmp ult i32 %tid, 7
  br i1 %div.second, label %yes.2, label %no.2

yes.2:
  %t.2 = mul i32 %uni.b, %tid
  store i32 %t.2, ptr %next
  br label %join.2

no.2:
  %f.2 = mul i32 %uni.a, %tid
  store i32 %f.2, ptr %next
  br label %join.2

join.2:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
