; The index is doubled forty times: each sum has one operand twice, which must not be followed twice.
; RUN: %opt -passes=steer-spills -mcpu=sm_90 -pass-remarks=warpwise -disable-output %s 2>&1 | %FileCheck %s
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; CHECK: remark: {{.*}} for 4 loads and more of a loop that are in flight at once
define ptx_kernel void @doubled(ptr addrspace(1) %in, ptr addrspace(1) noalias %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %d0 = phi i64 [ 0, %entry ], [ %at, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum4, %loop ]
  %d1 = add i64 %d0, %d0
  %d2 = add i64 %d1, %d1
  %d3 = add i64 %d2, %d2
  %d4 = add i64 %d3, %d3
  %d5 = add i64 %d4, %d4
  %d6 = add i64 %d5, %d5
  %d7 = add i64 %d6, %d6
  %d8 = add i64 %d7, %d7
  %d9 = add i64 %d8, %d8
  %d10 = add i64 %d9, %d9
  %d11 = add i64 %d10, %d10
  %d12 = add i64 %d11, %d11
  %d13 = add i64 %d12, %d12
  %d14 = add i64 %d13, %d13
  %d15 = add i64 %d14, %d14
  %d16 = add i64 %d15, %d15
  %d17 = add i64 %d16, %d16
  %d18 = add i64 %d17, %d17
  %d19 = add i64 %d18, %d18
  %d20 = add i64 %d19, %d19
  %d21 = add i64 %d20, %d20
  %d22 = add i64 %d21, %d21
  %d23 = add i64 %d22, %d22
  %d24 = add i64 %d23, %d23
  %d25 = add i64 %d24, %d24
  %d26 = add i64 %d25, %d25
  %d27 = add i64 %d26, %d26
  %d28 = add i64 %d27, %d27
  %d29 = add i64 %d28, %d28
  %d30 = add i64 %d29, %d29
  %d31 = add i64 %d30, %d30
  %d32 = add i64 %d31, %d31
  %d33 = add i64 %d32, %d32
  %d34 = add i64 %d33, %d33
  %d35 = add i64 %d34, %d34
  %d36 = add i64 %d35, %d35
  %d37 = add i64 %d36, %d36
  %d38 = add i64 %d37, %d37
  %d39 = add i64 %d38, %d38
  %d40 = add i64 %d39, %d39
  %base = getelementptr i8, ptr addrspace(1) %in, i64 %d40
  %t0 = add i32 %tid, 0
  %p0 = getelementptr float, ptr addrspace(1) %base, i32 %t0
  %x0 = load float, ptr addrspace(1) %p0
  %sum1 = fadd float %sum, %x0
  %t1 = add i32 %tid, 1024
  %p1 = getelementptr float, ptr addrspace(1) %base, i32 %t1
  %x1 = load float, ptr addrspace(1) %p1
  %sum2 = fadd float %sum1, %x1
  %t2 = add i32 %tid, 2048
  %p2 = getelementptr float, ptr addrspace(1) %base, i32 %t2
  %x2 = load float, ptr addrspace(1) %p2
  %sum3 = fadd float %sum2, %x2
  %t3 = add i32 %tid, 3072
  %p3 = getelementptr float, ptr addrspace(1) %base, i32 %t3
  %x3 = load float, ptr addrspace(1) %p3
  %sum4 = fadd float %sum3, %x3
  %at = add i64 %d0, 4
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  %o = getelementptr float, ptr addrspace(1) %out, i32 %tid
  store float %sum4, ptr addrspace(1) %o
  ret void
}
