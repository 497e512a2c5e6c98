; A pointer into a stack object that several cases of a switch bring from one block has one value there.
; RUN: %opt -passes='steer-spills<victims=all+rare>,verify' -S %s | %FileCheck %s

; CHECK: [[AT:%.*]] = phi i32 [ [[NEXT:%.*]], %use ], [ [[NEXT]], %use ], [ [[NEXT]], %use ], [ 0, %entry ]

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @bytes(i32 %n) #0 {
entry:
  %a = alloca [16 x i8], align 32
  store i8 0, ptr %a, align 1
  br label %use

use:
  %p = phi ptr [ %next, %use ], [ %next, %use ], [ %next, %use ], [ %a, %entry ]
  %next = getelementptr i8, ptr %p, i64 1
  store i8 1, ptr %p
  switch i32 %n, label %done [ i32 1, label %use
                               i32 2, label %use
                               i32 3, label %use ]

done:
  ret void
}

attributes #0 = { "nvvm.maxntid"="128" }
