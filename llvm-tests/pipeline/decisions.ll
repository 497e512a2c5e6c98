; What was decided can be read, counted and timed: by pass, whether or not anybody wants remarks.
; RUN: %opt -passes=warpwise -disable-output -warpwise-trace %s 2>&1 | %FileCheck %s --check-prefix=TRACE
; RUN: %opt -passes=warpwise -disable-output -stats %s 2>&1 | %FileCheck %s --check-prefix=STATS
; RUN: %opt -passes=warpwise -disable-output -time-passes %s 2>&1 | %FileCheck %s --check-prefix=TIMES
target triple = "nvptx64-nvidia-cuda"

; TRACE: unroll-loops: sums, block 2: done: LoopUnrolled: loop of 6 instructions unrolled by 4: 1 load of an iteration can overlap with those of others (not measured)
; TRACE: annotate-uniform: sums, block {{[0-9]+}}: done: InvariantLoad: load reads memory that the kernel never writes: marked invariant

; STATS: 2 annotate-uniform - InvariantLoad
; STATS: 1 unroll-loops - LoopUnrolled

; TIMES: Parts of warpwise's passes
; TIMES-DAG: unroll-loops
; TIMES-DAG: steer-spills

define ptx_kernel void @sums(ptr noalias readonly %in, ptr noalias %out, i32 %n) {
entry:
  br label %loop
done:
  store float %more, ptr %out
  ret void
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %at = getelementptr float, ptr %in, i32 %i
  %x = load float, ptr %at
  %more = fadd float %sum, %x
  %next = add nsw i32 %i, 1
  %ends = icmp sge i32 %next, %n
  br i1 %ends, label %done, label %loop
}
