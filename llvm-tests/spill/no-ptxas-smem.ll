; ptxas fails where it cannot spill to shared memory, so the pragma is not written there: in kernels that call functions,
; also of the system, in those with dynamic shared memory, and in code for a debugger. tuning/smem.cu has the last case,
; code that another program links.
; RUN: %opt -warpwise-remarks=all -passes='steer-spills<victims=none;ptxas-smem>' -pass-remarks-missed=warpwise -S %s -o %t.ll 2>%t.remarks
; RUN: %FileCheck %s < %t.ll
; RUN: %FileCheck %s --check-prefix=REMARK < %t.remarks
; RUN: %llc -mcpu=sm_90 -mattr=+ptx87 %t.ll -o %t.s
; RUN: %ptxas -arch=sm_90 %t.s -o %t.cubin
; RUN: sed 's/DebugDirectivesOnly/FullDebug/' %s > %t.debug.ll
; RUN: %opt -warpwise-remarks=all -passes='steer-spills<victims=none;ptxas-smem>' -pass-remarks-missed=warpwise -S %t.debug.ll 2>&1 | %FileCheck %s --check-prefix=DEBUG
; CHECK: define ptx_kernel void @spills(
; CHECK: call void asm sideeffect ".pragma \22enable_smem_spilling\22;", ""()
; CHECK-NOT: asm sideeffect
; REMARK-COUNT-2: is left to ptxas: ptxas takes its pragma only in kernels that call no function: inlined calls are none
; REMARK: is left to ptxas: the kernel has dynamic shared memory of unknown size
; DEBUG: is left to ptxas: ptxas takes its pragma only in code that is not for a debugger: -g1 instead of -g
; DEBUG-NOT: asm sideeffect
target triple = "nvptx64-nvidia-cuda"

@dynamic_words = external addrspace(3) global [0 x float], align 4

define ptx_kernel void @spills(ptr noalias readonly %in, ptr noalias %out, i32 %n) #0 {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %from = getelementptr float, ptr %in, i64 %wide
  %p0 = getelementptr float, ptr %from, i64 0
  %x0 = load float, ptr %p0, align 4
  %p1 = getelementptr float, ptr %from, i64 64
  %x1 = load float, ptr %p1, align 4
  %p2 = getelementptr float, ptr %from, i64 128
  %x2 = load float, ptr %p2, align 4
  %p3 = getelementptr float, ptr %from, i64 192
  %x3 = load float, ptr %p3, align 4
  %p4 = getelementptr float, ptr %from, i64 256
  %x4 = load float, ptr %p4, align 4
  %p5 = getelementptr float, ptr %from, i64 320
  %x5 = load float, ptr %p5, align 4
  %p6 = getelementptr float, ptr %from, i64 384
  %x6 = load float, ptr %p6, align 4
  %p7 = getelementptr float, ptr %from, i64 448
  %x7 = load float, ptr %p7, align 4
  %p8 = getelementptr float, ptr %from, i64 512
  %x8 = load float, ptr %p8, align 4
  %p9 = getelementptr float, ptr %from, i64 576
  %x9 = load float, ptr %p9, align 4
  %p10 = getelementptr float, ptr %from, i64 640
  %x10 = load float, ptr %p10, align 4
  %p11 = getelementptr float, ptr %from, i64 704
  %x11 = load float, ptr %p11, align 4
  %p12 = getelementptr float, ptr %from, i64 768
  %x12 = load float, ptr %p12, align 4
  %p13 = getelementptr float, ptr %from, i64 832
  %x13 = load float, ptr %p13, align 4
  %p14 = getelementptr float, ptr %from, i64 896
  %x14 = load float, ptr %p14, align 4
  %p15 = getelementptr float, ptr %from, i64 960
  %x15 = load float, ptr %p15, align 4
  %p16 = getelementptr float, ptr %from, i64 1024
  %x16 = load float, ptr %p16, align 4
  %p17 = getelementptr float, ptr %from, i64 1088
  %x17 = load float, ptr %p17, align 4
  %p18 = getelementptr float, ptr %from, i64 1152
  %x18 = load float, ptr %p18, align 4
  %p19 = getelementptr float, ptr %from, i64 1216
  %x19 = load float, ptr %p19, align 4
  %p20 = getelementptr float, ptr %from, i64 1280
  %x20 = load float, ptr %p20, align 4
  %p21 = getelementptr float, ptr %from, i64 1344
  %x21 = load float, ptr %p21, align 4
  %p22 = getelementptr float, ptr %from, i64 1408
  %x22 = load float, ptr %p22, align 4
  %p23 = getelementptr float, ptr %from, i64 1472
  %x23 = load float, ptr %p23, align 4
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v0 = phi float [ %x0, %entry ], [ %w0, %loop ]
  %v1 = phi float [ %x1, %entry ], [ %w1, %loop ]
  %v2 = phi float [ %x2, %entry ], [ %w2, %loop ]
  %v3 = phi float [ %x3, %entry ], [ %w3, %loop ]
  %v4 = phi float [ %x4, %entry ], [ %w4, %loop ]
  %v5 = phi float [ %x5, %entry ], [ %w5, %loop ]
  %v6 = phi float [ %x6, %entry ], [ %w6, %loop ]
  %v7 = phi float [ %x7, %entry ], [ %w7, %loop ]
  %v8 = phi float [ %x8, %entry ], [ %w8, %loop ]
  %v9 = phi float [ %x9, %entry ], [ %w9, %loop ]
  %v10 = phi float [ %x10, %entry ], [ %w10, %loop ]
  %v11 = phi float [ %x11, %entry ], [ %w11, %loop ]
  %v12 = phi float [ %x12, %entry ], [ %w12, %loop ]
  %v13 = phi float [ %x13, %entry ], [ %w13, %loop ]
  %v14 = phi float [ %x14, %entry ], [ %w14, %loop ]
  %v15 = phi float [ %x15, %entry ], [ %w15, %loop ]
  %v16 = phi float [ %x16, %entry ], [ %w16, %loop ]
  %v17 = phi float [ %x17, %entry ], [ %w17, %loop ]
  %v18 = phi float [ %x18, %entry ], [ %w18, %loop ]
  %v19 = phi float [ %x19, %entry ], [ %w19, %loop ]
  %v20 = phi float [ %x20, %entry ], [ %w20, %loop ]
  %v21 = phi float [ %x21, %entry ], [ %w21, %loop ]
  %v22 = phi float [ %x22, %entry ], [ %w22, %loop ]
  %v23 = phi float [ %x23, %entry ], [ %w23, %loop ]
  %w0 = call float @llvm.fma.f32(float %v0, float %v1, float %v5)
  %w1 = call float @llvm.fma.f32(float %v1, float %v2, float %v6)
  %w2 = call float @llvm.fma.f32(float %v2, float %v3, float %v7)
  %w3 = call float @llvm.fma.f32(float %v3, float %v4, float %v8)
  %w4 = call float @llvm.fma.f32(float %v4, float %v5, float %v9)
  %w5 = call float @llvm.fma.f32(float %v5, float %v6, float %v10)
  %w6 = call float @llvm.fma.f32(float %v6, float %v7, float %v11)
  %w7 = call float @llvm.fma.f32(float %v7, float %v8, float %v12)
  %w8 = call float @llvm.fma.f32(float %v8, float %v9, float %v13)
  %w9 = call float @llvm.fma.f32(float %v9, float %v10, float %v14)
  %w10 = call float @llvm.fma.f32(float %v10, float %v11, float %v15)
  %w11 = call float @llvm.fma.f32(float %v11, float %v12, float %v16)
  %w12 = call float @llvm.fma.f32(float %v12, float %v13, float %v17)
  %w13 = call float @llvm.fma.f32(float %v13, float %v14, float %v18)
  %w14 = call float @llvm.fma.f32(float %v14, float %v15, float %v19)
  %w15 = call float @llvm.fma.f32(float %v15, float %v16, float %v20)
  %w16 = call float @llvm.fma.f32(float %v16, float %v17, float %v21)
  %w17 = call float @llvm.fma.f32(float %v17, float %v18, float %v22)
  %w18 = call float @llvm.fma.f32(float %v18, float %v19, float %v23)
  %w19 = call float @llvm.fma.f32(float %v19, float %v20, float %v0)
  %w20 = call float @llvm.fma.f32(float %v20, float %v21, float %v1)
  %w21 = call float @llvm.fma.f32(float %v21, float %v22, float %v2)
  %w22 = call float @llvm.fma.f32(float %v22, float %v23, float %v3)
  %w23 = call float @llvm.fma.f32(float %v23, float %v0, float %v4)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  %q0 = getelementptr float, ptr %out, i64 0
  %t0 = getelementptr float, ptr %q0, i64 %wide
  store float %w0, ptr %t0, align 4
  %q1 = getelementptr float, ptr %out, i64 64
  %t1 = getelementptr float, ptr %q1, i64 %wide
  store float %w1, ptr %t1, align 4
  %q2 = getelementptr float, ptr %out, i64 128
  %t2 = getelementptr float, ptr %q2, i64 %wide
  store float %w2, ptr %t2, align 4
  %q3 = getelementptr float, ptr %out, i64 192
  %t3 = getelementptr float, ptr %q3, i64 %wide
  store float %w3, ptr %t3, align 4
  %q4 = getelementptr float, ptr %out, i64 256
  %t4 = getelementptr float, ptr %q4, i64 %wide
  store float %w4, ptr %t4, align 4
  %q5 = getelementptr float, ptr %out, i64 320
  %t5 = getelementptr float, ptr %q5, i64 %wide
  store float %w5, ptr %t5, align 4
  %q6 = getelementptr float, ptr %out, i64 384
  %t6 = getelementptr float, ptr %q6, i64 %wide
  store float %w6, ptr %t6, align 4
  %q7 = getelementptr float, ptr %out, i64 448
  %t7 = getelementptr float, ptr %q7, i64 %wide
  store float %w7, ptr %t7, align 4
  %q8 = getelementptr float, ptr %out, i64 512
  %t8 = getelementptr float, ptr %q8, i64 %wide
  store float %w8, ptr %t8, align 4
  %q9 = getelementptr float, ptr %out, i64 576
  %t9 = getelementptr float, ptr %q9, i64 %wide
  store float %w9, ptr %t9, align 4
  %q10 = getelementptr float, ptr %out, i64 640
  %t10 = getelementptr float, ptr %q10, i64 %wide
  store float %w10, ptr %t10, align 4
  %q11 = getelementptr float, ptr %out, i64 704
  %t11 = getelementptr float, ptr %q11, i64 %wide
  store float %w11, ptr %t11, align 4
  %q12 = getelementptr float, ptr %out, i64 768
  %t12 = getelementptr float, ptr %q12, i64 %wide
  store float %w12, ptr %t12, align 4
  %q13 = getelementptr float, ptr %out, i64 832
  %t13 = getelementptr float, ptr %q13, i64 %wide
  store float %w13, ptr %t13, align 4
  %q14 = getelementptr float, ptr %out, i64 896
  %t14 = getelementptr float, ptr %q14, i64 %wide
  store float %w14, ptr %t14, align 4
  %q15 = getelementptr float, ptr %out, i64 960
  %t15 = getelementptr float, ptr %q15, i64 %wide
  store float %w15, ptr %t15, align 4
  %q16 = getelementptr float, ptr %out, i64 1024
  %t16 = getelementptr float, ptr %q16, i64 %wide
  store float %w16, ptr %t16, align 4
  %q17 = getelementptr float, ptr %out, i64 1088
  %t17 = getelementptr float, ptr %q17, i64 %wide
  store float %w17, ptr %t17, align 4
  %q18 = getelementptr float, ptr %out, i64 1152
  %t18 = getelementptr float, ptr %q18, i64 %wide
  store float %w18, ptr %t18, align 4
  %q19 = getelementptr float, ptr %out, i64 1216
  %t19 = getelementptr float, ptr %q19, i64 %wide
  store float %w19, ptr %t19, align 4
  %q20 = getelementptr float, ptr %out, i64 1280
  %t20 = getelementptr float, ptr %q20, i64 %wide
  store float %w20, ptr %t20, align 4
  %q21 = getelementptr float, ptr %out, i64 1344
  %t21 = getelementptr float, ptr %q21, i64 %wide
  store float %w21, ptr %t21, align 4
  %q22 = getelementptr float, ptr %out, i64 1408
  %t22 = getelementptr float, ptr %q22, i64 %wide
  store float %w22, ptr %t22, align 4
  %q23 = getelementptr float, ptr %out, i64 1472
  %t23 = getelementptr float, ptr %q23, i64 %wide
  store float %w23, ptr %t23, align 4
  ret void
}

define ptx_kernel void @system(ptr noalias readonly %in, ptr noalias %out, i32 %n) #0 {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %from = getelementptr float, ptr %in, i64 %wide
  %done = call i32 @vprintf(ptr %in, ptr null)
  %p0 = getelementptr float, ptr %from, i64 0
  %x0 = load float, ptr %p0, align 4
  %p1 = getelementptr float, ptr %from, i64 64
  %x1 = load float, ptr %p1, align 4
  %p2 = getelementptr float, ptr %from, i64 128
  %x2 = load float, ptr %p2, align 4
  %p3 = getelementptr float, ptr %from, i64 192
  %x3 = load float, ptr %p3, align 4
  %p4 = getelementptr float, ptr %from, i64 256
  %x4 = load float, ptr %p4, align 4
  %p5 = getelementptr float, ptr %from, i64 320
  %x5 = load float, ptr %p5, align 4
  %p6 = getelementptr float, ptr %from, i64 384
  %x6 = load float, ptr %p6, align 4
  %p7 = getelementptr float, ptr %from, i64 448
  %x7 = load float, ptr %p7, align 4
  %p8 = getelementptr float, ptr %from, i64 512
  %x8 = load float, ptr %p8, align 4
  %p9 = getelementptr float, ptr %from, i64 576
  %x9 = load float, ptr %p9, align 4
  %p10 = getelementptr float, ptr %from, i64 640
  %x10 = load float, ptr %p10, align 4
  %p11 = getelementptr float, ptr %from, i64 704
  %x11 = load float, ptr %p11, align 4
  %p12 = getelementptr float, ptr %from, i64 768
  %x12 = load float, ptr %p12, align 4
  %p13 = getelementptr float, ptr %from, i64 832
  %x13 = load float, ptr %p13, align 4
  %p14 = getelementptr float, ptr %from, i64 896
  %x14 = load float, ptr %p14, align 4
  %p15 = getelementptr float, ptr %from, i64 960
  %x15 = load float, ptr %p15, align 4
  %p16 = getelementptr float, ptr %from, i64 1024
  %x16 = load float, ptr %p16, align 4
  %p17 = getelementptr float, ptr %from, i64 1088
  %x17 = load float, ptr %p17, align 4
  %p18 = getelementptr float, ptr %from, i64 1152
  %x18 = load float, ptr %p18, align 4
  %p19 = getelementptr float, ptr %from, i64 1216
  %x19 = load float, ptr %p19, align 4
  %p20 = getelementptr float, ptr %from, i64 1280
  %x20 = load float, ptr %p20, align 4
  %p21 = getelementptr float, ptr %from, i64 1344
  %x21 = load float, ptr %p21, align 4
  %p22 = getelementptr float, ptr %from, i64 1408
  %x22 = load float, ptr %p22, align 4
  %p23 = getelementptr float, ptr %from, i64 1472
  %x23 = load float, ptr %p23, align 4
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v0 = phi float [ %x0, %entry ], [ %w0, %loop ]
  %v1 = phi float [ %x1, %entry ], [ %w1, %loop ]
  %v2 = phi float [ %x2, %entry ], [ %w2, %loop ]
  %v3 = phi float [ %x3, %entry ], [ %w3, %loop ]
  %v4 = phi float [ %x4, %entry ], [ %w4, %loop ]
  %v5 = phi float [ %x5, %entry ], [ %w5, %loop ]
  %v6 = phi float [ %x6, %entry ], [ %w6, %loop ]
  %v7 = phi float [ %x7, %entry ], [ %w7, %loop ]
  %v8 = phi float [ %x8, %entry ], [ %w8, %loop ]
  %v9 = phi float [ %x9, %entry ], [ %w9, %loop ]
  %v10 = phi float [ %x10, %entry ], [ %w10, %loop ]
  %v11 = phi float [ %x11, %entry ], [ %w11, %loop ]
  %v12 = phi float [ %x12, %entry ], [ %w12, %loop ]
  %v13 = phi float [ %x13, %entry ], [ %w13, %loop ]
  %v14 = phi float [ %x14, %entry ], [ %w14, %loop ]
  %v15 = phi float [ %x15, %entry ], [ %w15, %loop ]
  %v16 = phi float [ %x16, %entry ], [ %w16, %loop ]
  %v17 = phi float [ %x17, %entry ], [ %w17, %loop ]
  %v18 = phi float [ %x18, %entry ], [ %w18, %loop ]
  %v19 = phi float [ %x19, %entry ], [ %w19, %loop ]
  %v20 = phi float [ %x20, %entry ], [ %w20, %loop ]
  %v21 = phi float [ %x21, %entry ], [ %w21, %loop ]
  %v22 = phi float [ %x22, %entry ], [ %w22, %loop ]
  %v23 = phi float [ %x23, %entry ], [ %w23, %loop ]
  %w0 = call float @llvm.fma.f32(float %v0, float %v1, float %v5)
  %w1 = call float @llvm.fma.f32(float %v1, float %v2, float %v6)
  %w2 = call float @llvm.fma.f32(float %v2, float %v3, float %v7)
  %w3 = call float @llvm.fma.f32(float %v3, float %v4, float %v8)
  %w4 = call float @llvm.fma.f32(float %v4, float %v5, float %v9)
  %w5 = call float @llvm.fma.f32(float %v5, float %v6, float %v10)
  %w6 = call float @llvm.fma.f32(float %v6, float %v7, float %v11)
  %w7 = call float @llvm.fma.f32(float %v7, float %v8, float %v12)
  %w8 = call float @llvm.fma.f32(float %v8, float %v9, float %v13)
  %w9 = call float @llvm.fma.f32(float %v9, float %v10, float %v14)
  %w10 = call float @llvm.fma.f32(float %v10, float %v11, float %v15)
  %w11 = call float @llvm.fma.f32(float %v11, float %v12, float %v16)
  %w12 = call float @llvm.fma.f32(float %v12, float %v13, float %v17)
  %w13 = call float @llvm.fma.f32(float %v13, float %v14, float %v18)
  %w14 = call float @llvm.fma.f32(float %v14, float %v15, float %v19)
  %w15 = call float @llvm.fma.f32(float %v15, float %v16, float %v20)
  %w16 = call float @llvm.fma.f32(float %v16, float %v17, float %v21)
  %w17 = call float @llvm.fma.f32(float %v17, float %v18, float %v22)
  %w18 = call float @llvm.fma.f32(float %v18, float %v19, float %v23)
  %w19 = call float @llvm.fma.f32(float %v19, float %v20, float %v0)
  %w20 = call float @llvm.fma.f32(float %v20, float %v21, float %v1)
  %w21 = call float @llvm.fma.f32(float %v21, float %v22, float %v2)
  %w22 = call float @llvm.fma.f32(float %v22, float %v23, float %v3)
  %w23 = call float @llvm.fma.f32(float %v23, float %v0, float %v4)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  %q0 = getelementptr float, ptr %out, i64 0
  %t0 = getelementptr float, ptr %q0, i64 %wide
  store float %w0, ptr %t0, align 4
  %q1 = getelementptr float, ptr %out, i64 64
  %t1 = getelementptr float, ptr %q1, i64 %wide
  store float %w1, ptr %t1, align 4
  %q2 = getelementptr float, ptr %out, i64 128
  %t2 = getelementptr float, ptr %q2, i64 %wide
  store float %w2, ptr %t2, align 4
  %q3 = getelementptr float, ptr %out, i64 192
  %t3 = getelementptr float, ptr %q3, i64 %wide
  store float %w3, ptr %t3, align 4
  %q4 = getelementptr float, ptr %out, i64 256
  %t4 = getelementptr float, ptr %q4, i64 %wide
  store float %w4, ptr %t4, align 4
  %q5 = getelementptr float, ptr %out, i64 320
  %t5 = getelementptr float, ptr %q5, i64 %wide
  store float %w5, ptr %t5, align 4
  %q6 = getelementptr float, ptr %out, i64 384
  %t6 = getelementptr float, ptr %q6, i64 %wide
  store float %w6, ptr %t6, align 4
  %q7 = getelementptr float, ptr %out, i64 448
  %t7 = getelementptr float, ptr %q7, i64 %wide
  store float %w7, ptr %t7, align 4
  %q8 = getelementptr float, ptr %out, i64 512
  %t8 = getelementptr float, ptr %q8, i64 %wide
  store float %w8, ptr %t8, align 4
  %q9 = getelementptr float, ptr %out, i64 576
  %t9 = getelementptr float, ptr %q9, i64 %wide
  store float %w9, ptr %t9, align 4
  %q10 = getelementptr float, ptr %out, i64 640
  %t10 = getelementptr float, ptr %q10, i64 %wide
  store float %w10, ptr %t10, align 4
  %q11 = getelementptr float, ptr %out, i64 704
  %t11 = getelementptr float, ptr %q11, i64 %wide
  store float %w11, ptr %t11, align 4
  %q12 = getelementptr float, ptr %out, i64 768
  %t12 = getelementptr float, ptr %q12, i64 %wide
  store float %w12, ptr %t12, align 4
  %q13 = getelementptr float, ptr %out, i64 832
  %t13 = getelementptr float, ptr %q13, i64 %wide
  store float %w13, ptr %t13, align 4
  %q14 = getelementptr float, ptr %out, i64 896
  %t14 = getelementptr float, ptr %q14, i64 %wide
  store float %w14, ptr %t14, align 4
  %q15 = getelementptr float, ptr %out, i64 960
  %t15 = getelementptr float, ptr %q15, i64 %wide
  store float %w15, ptr %t15, align 4
  %q16 = getelementptr float, ptr %out, i64 1024
  %t16 = getelementptr float, ptr %q16, i64 %wide
  store float %w16, ptr %t16, align 4
  %q17 = getelementptr float, ptr %out, i64 1088
  %t17 = getelementptr float, ptr %q17, i64 %wide
  store float %w17, ptr %t17, align 4
  %q18 = getelementptr float, ptr %out, i64 1152
  %t18 = getelementptr float, ptr %q18, i64 %wide
  store float %w18, ptr %t18, align 4
  %q19 = getelementptr float, ptr %out, i64 1216
  %t19 = getelementptr float, ptr %q19, i64 %wide
  store float %w19, ptr %t19, align 4
  %q20 = getelementptr float, ptr %out, i64 1280
  %t20 = getelementptr float, ptr %q20, i64 %wide
  store float %w20, ptr %t20, align 4
  %q21 = getelementptr float, ptr %out, i64 1344
  %t21 = getelementptr float, ptr %q21, i64 %wide
  store float %w21, ptr %t21, align 4
  %q22 = getelementptr float, ptr %out, i64 1408
  %t22 = getelementptr float, ptr %q22, i64 %wide
  store float %w22, ptr %t22, align 4
  %q23 = getelementptr float, ptr %out, i64 1472
  %t23 = getelementptr float, ptr %q23, i64 %wide
  store float %w23, ptr %t23, align 4
  ret void
}

define ptx_kernel void @own(ptr noalias readonly %in, ptr noalias %out, i32 %n) #0 {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %from = getelementptr float, ptr %in, i64 %wide
  call void @own.function(ptr %out)
  %p0 = getelementptr float, ptr %from, i64 0
  %x0 = load float, ptr %p0, align 4
  %p1 = getelementptr float, ptr %from, i64 64
  %x1 = load float, ptr %p1, align 4
  %p2 = getelementptr float, ptr %from, i64 128
  %x2 = load float, ptr %p2, align 4
  %p3 = getelementptr float, ptr %from, i64 192
  %x3 = load float, ptr %p3, align 4
  %p4 = getelementptr float, ptr %from, i64 256
  %x4 = load float, ptr %p4, align 4
  %p5 = getelementptr float, ptr %from, i64 320
  %x5 = load float, ptr %p5, align 4
  %p6 = getelementptr float, ptr %from, i64 384
  %x6 = load float, ptr %p6, align 4
  %p7 = getelementptr float, ptr %from, i64 448
  %x7 = load float, ptr %p7, align 4
  %p8 = getelementptr float, ptr %from, i64 512
  %x8 = load float, ptr %p8, align 4
  %p9 = getelementptr float, ptr %from, i64 576
  %x9 = load float, ptr %p9, align 4
  %p10 = getelementptr float, ptr %from, i64 640
  %x10 = load float, ptr %p10, align 4
  %p11 = getelementptr float, ptr %from, i64 704
  %x11 = load float, ptr %p11, align 4
  %p12 = getelementptr float, ptr %from, i64 768
  %x12 = load float, ptr %p12, align 4
  %p13 = getelementptr float, ptr %from, i64 832
  %x13 = load float, ptr %p13, align 4
  %p14 = getelementptr float, ptr %from, i64 896
  %x14 = load float, ptr %p14, align 4
  %p15 = getelementptr float, ptr %from, i64 960
  %x15 = load float, ptr %p15, align 4
  %p16 = getelementptr float, ptr %from, i64 1024
  %x16 = load float, ptr %p16, align 4
  %p17 = getelementptr float, ptr %from, i64 1088
  %x17 = load float, ptr %p17, align 4
  %p18 = getelementptr float, ptr %from, i64 1152
  %x18 = load float, ptr %p18, align 4
  %p19 = getelementptr float, ptr %from, i64 1216
  %x19 = load float, ptr %p19, align 4
  %p20 = getelementptr float, ptr %from, i64 1280
  %x20 = load float, ptr %p20, align 4
  %p21 = getelementptr float, ptr %from, i64 1344
  %x21 = load float, ptr %p21, align 4
  %p22 = getelementptr float, ptr %from, i64 1408
  %x22 = load float, ptr %p22, align 4
  %p23 = getelementptr float, ptr %from, i64 1472
  %x23 = load float, ptr %p23, align 4
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v0 = phi float [ %x0, %entry ], [ %w0, %loop ]
  %v1 = phi float [ %x1, %entry ], [ %w1, %loop ]
  %v2 = phi float [ %x2, %entry ], [ %w2, %loop ]
  %v3 = phi float [ %x3, %entry ], [ %w3, %loop ]
  %v4 = phi float [ %x4, %entry ], [ %w4, %loop ]
  %v5 = phi float [ %x5, %entry ], [ %w5, %loop ]
  %v6 = phi float [ %x6, %entry ], [ %w6, %loop ]
  %v7 = phi float [ %x7, %entry ], [ %w7, %loop ]
  %v8 = phi float [ %x8, %entry ], [ %w8, %loop ]
  %v9 = phi float [ %x9, %entry ], [ %w9, %loop ]
  %v10 = phi float [ %x10, %entry ], [ %w10, %loop ]
  %v11 = phi float [ %x11, %entry ], [ %w11, %loop ]
  %v12 = phi float [ %x12, %entry ], [ %w12, %loop ]
  %v13 = phi float [ %x13, %entry ], [ %w13, %loop ]
  %v14 = phi float [ %x14, %entry ], [ %w14, %loop ]
  %v15 = phi float [ %x15, %entry ], [ %w15, %loop ]
  %v16 = phi float [ %x16, %entry ], [ %w16, %loop ]
  %v17 = phi float [ %x17, %entry ], [ %w17, %loop ]
  %v18 = phi float [ %x18, %entry ], [ %w18, %loop ]
  %v19 = phi float [ %x19, %entry ], [ %w19, %loop ]
  %v20 = phi float [ %x20, %entry ], [ %w20, %loop ]
  %v21 = phi float [ %x21, %entry ], [ %w21, %loop ]
  %v22 = phi float [ %x22, %entry ], [ %w22, %loop ]
  %v23 = phi float [ %x23, %entry ], [ %w23, %loop ]
  %w0 = call float @llvm.fma.f32(float %v0, float %v1, float %v5)
  %w1 = call float @llvm.fma.f32(float %v1, float %v2, float %v6)
  %w2 = call float @llvm.fma.f32(float %v2, float %v3, float %v7)
  %w3 = call float @llvm.fma.f32(float %v3, float %v4, float %v8)
  %w4 = call float @llvm.fma.f32(float %v4, float %v5, float %v9)
  %w5 = call float @llvm.fma.f32(float %v5, float %v6, float %v10)
  %w6 = call float @llvm.fma.f32(float %v6, float %v7, float %v11)
  %w7 = call float @llvm.fma.f32(float %v7, float %v8, float %v12)
  %w8 = call float @llvm.fma.f32(float %v8, float %v9, float %v13)
  %w9 = call float @llvm.fma.f32(float %v9, float %v10, float %v14)
  %w10 = call float @llvm.fma.f32(float %v10, float %v11, float %v15)
  %w11 = call float @llvm.fma.f32(float %v11, float %v12, float %v16)
  %w12 = call float @llvm.fma.f32(float %v12, float %v13, float %v17)
  %w13 = call float @llvm.fma.f32(float %v13, float %v14, float %v18)
  %w14 = call float @llvm.fma.f32(float %v14, float %v15, float %v19)
  %w15 = call float @llvm.fma.f32(float %v15, float %v16, float %v20)
  %w16 = call float @llvm.fma.f32(float %v16, float %v17, float %v21)
  %w17 = call float @llvm.fma.f32(float %v17, float %v18, float %v22)
  %w18 = call float @llvm.fma.f32(float %v18, float %v19, float %v23)
  %w19 = call float @llvm.fma.f32(float %v19, float %v20, float %v0)
  %w20 = call float @llvm.fma.f32(float %v20, float %v21, float %v1)
  %w21 = call float @llvm.fma.f32(float %v21, float %v22, float %v2)
  %w22 = call float @llvm.fma.f32(float %v22, float %v23, float %v3)
  %w23 = call float @llvm.fma.f32(float %v23, float %v0, float %v4)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  %q0 = getelementptr float, ptr %out, i64 0
  %t0 = getelementptr float, ptr %q0, i64 %wide
  store float %w0, ptr %t0, align 4
  %q1 = getelementptr float, ptr %out, i64 64
  %t1 = getelementptr float, ptr %q1, i64 %wide
  store float %w1, ptr %t1, align 4
  %q2 = getelementptr float, ptr %out, i64 128
  %t2 = getelementptr float, ptr %q2, i64 %wide
  store float %w2, ptr %t2, align 4
  %q3 = getelementptr float, ptr %out, i64 192
  %t3 = getelementptr float, ptr %q3, i64 %wide
  store float %w3, ptr %t3, align 4
  %q4 = getelementptr float, ptr %out, i64 256
  %t4 = getelementptr float, ptr %q4, i64 %wide
  store float %w4, ptr %t4, align 4
  %q5 = getelementptr float, ptr %out, i64 320
  %t5 = getelementptr float, ptr %q5, i64 %wide
  store float %w5, ptr %t5, align 4
  %q6 = getelementptr float, ptr %out, i64 384
  %t6 = getelementptr float, ptr %q6, i64 %wide
  store float %w6, ptr %t6, align 4
  %q7 = getelementptr float, ptr %out, i64 448
  %t7 = getelementptr float, ptr %q7, i64 %wide
  store float %w7, ptr %t7, align 4
  %q8 = getelementptr float, ptr %out, i64 512
  %t8 = getelementptr float, ptr %q8, i64 %wide
  store float %w8, ptr %t8, align 4
  %q9 = getelementptr float, ptr %out, i64 576
  %t9 = getelementptr float, ptr %q9, i64 %wide
  store float %w9, ptr %t9, align 4
  %q10 = getelementptr float, ptr %out, i64 640
  %t10 = getelementptr float, ptr %q10, i64 %wide
  store float %w10, ptr %t10, align 4
  %q11 = getelementptr float, ptr %out, i64 704
  %t11 = getelementptr float, ptr %q11, i64 %wide
  store float %w11, ptr %t11, align 4
  %q12 = getelementptr float, ptr %out, i64 768
  %t12 = getelementptr float, ptr %q12, i64 %wide
  store float %w12, ptr %t12, align 4
  %q13 = getelementptr float, ptr %out, i64 832
  %t13 = getelementptr float, ptr %q13, i64 %wide
  store float %w13, ptr %t13, align 4
  %q14 = getelementptr float, ptr %out, i64 896
  %t14 = getelementptr float, ptr %q14, i64 %wide
  store float %w14, ptr %t14, align 4
  %q15 = getelementptr float, ptr %out, i64 960
  %t15 = getelementptr float, ptr %q15, i64 %wide
  store float %w15, ptr %t15, align 4
  %q16 = getelementptr float, ptr %out, i64 1024
  %t16 = getelementptr float, ptr %q16, i64 %wide
  store float %w16, ptr %t16, align 4
  %q17 = getelementptr float, ptr %out, i64 1088
  %t17 = getelementptr float, ptr %q17, i64 %wide
  store float %w17, ptr %t17, align 4
  %q18 = getelementptr float, ptr %out, i64 1152
  %t18 = getelementptr float, ptr %q18, i64 %wide
  store float %w18, ptr %t18, align 4
  %q19 = getelementptr float, ptr %out, i64 1216
  %t19 = getelementptr float, ptr %q19, i64 %wide
  store float %w19, ptr %t19, align 4
  %q20 = getelementptr float, ptr %out, i64 1280
  %t20 = getelementptr float, ptr %q20, i64 %wide
  store float %w20, ptr %t20, align 4
  %q21 = getelementptr float, ptr %out, i64 1344
  %t21 = getelementptr float, ptr %q21, i64 %wide
  store float %w21, ptr %t21, align 4
  %q22 = getelementptr float, ptr %out, i64 1408
  %t22 = getelementptr float, ptr %q22, i64 %wide
  store float %w22, ptr %t22, align 4
  %q23 = getelementptr float, ptr %out, i64 1472
  %t23 = getelementptr float, ptr %q23, i64 %wide
  store float %w23, ptr %t23, align 4
  ret void
}

define ptx_kernel void @dynamic(ptr noalias readonly %in, ptr noalias %out, i32 %n) #0 {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %from = getelementptr float, ptr %in, i64 %wide
  %word = getelementptr float, ptr addrspace(3) @dynamic_words, i32 %tid
  store float 1.0, ptr addrspace(3) %word, align 4
  %p0 = getelementptr float, ptr %from, i64 0
  %x0 = load float, ptr %p0, align 4
  %p1 = getelementptr float, ptr %from, i64 64
  %x1 = load float, ptr %p1, align 4
  %p2 = getelementptr float, ptr %from, i64 128
  %x2 = load float, ptr %p2, align 4
  %p3 = getelementptr float, ptr %from, i64 192
  %x3 = load float, ptr %p3, align 4
  %p4 = getelementptr float, ptr %from, i64 256
  %x4 = load float, ptr %p4, align 4
  %p5 = getelementptr float, ptr %from, i64 320
  %x5 = load float, ptr %p5, align 4
  %p6 = getelementptr float, ptr %from, i64 384
  %x6 = load float, ptr %p6, align 4
  %p7 = getelementptr float, ptr %from, i64 448
  %x7 = load float, ptr %p7, align 4
  %p8 = getelementptr float, ptr %from, i64 512
  %x8 = load float, ptr %p8, align 4
  %p9 = getelementptr float, ptr %from, i64 576
  %x9 = load float, ptr %p9, align 4
  %p10 = getelementptr float, ptr %from, i64 640
  %x10 = load float, ptr %p10, align 4
  %p11 = getelementptr float, ptr %from, i64 704
  %x11 = load float, ptr %p11, align 4
  %p12 = getelementptr float, ptr %from, i64 768
  %x12 = load float, ptr %p12, align 4
  %p13 = getelementptr float, ptr %from, i64 832
  %x13 = load float, ptr %p13, align 4
  %p14 = getelementptr float, ptr %from, i64 896
  %x14 = load float, ptr %p14, align 4
  %p15 = getelementptr float, ptr %from, i64 960
  %x15 = load float, ptr %p15, align 4
  %p16 = getelementptr float, ptr %from, i64 1024
  %x16 = load float, ptr %p16, align 4
  %p17 = getelementptr float, ptr %from, i64 1088
  %x17 = load float, ptr %p17, align 4
  %p18 = getelementptr float, ptr %from, i64 1152
  %x18 = load float, ptr %p18, align 4
  %p19 = getelementptr float, ptr %from, i64 1216
  %x19 = load float, ptr %p19, align 4
  %p20 = getelementptr float, ptr %from, i64 1280
  %x20 = load float, ptr %p20, align 4
  %p21 = getelementptr float, ptr %from, i64 1344
  %x21 = load float, ptr %p21, align 4
  %p22 = getelementptr float, ptr %from, i64 1408
  %x22 = load float, ptr %p22, align 4
  %p23 = getelementptr float, ptr %from, i64 1472
  %x23 = load float, ptr %p23, align 4
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v0 = phi float [ %x0, %entry ], [ %w0, %loop ]
  %v1 = phi float [ %x1, %entry ], [ %w1, %loop ]
  %v2 = phi float [ %x2, %entry ], [ %w2, %loop ]
  %v3 = phi float [ %x3, %entry ], [ %w3, %loop ]
  %v4 = phi float [ %x4, %entry ], [ %w4, %loop ]
  %v5 = phi float [ %x5, %entry ], [ %w5, %loop ]
  %v6 = phi float [ %x6, %entry ], [ %w6, %loop ]
  %v7 = phi float [ %x7, %entry ], [ %w7, %loop ]
  %v8 = phi float [ %x8, %entry ], [ %w8, %loop ]
  %v9 = phi float [ %x9, %entry ], [ %w9, %loop ]
  %v10 = phi float [ %x10, %entry ], [ %w10, %loop ]
  %v11 = phi float [ %x11, %entry ], [ %w11, %loop ]
  %v12 = phi float [ %x12, %entry ], [ %w12, %loop ]
  %v13 = phi float [ %x13, %entry ], [ %w13, %loop ]
  %v14 = phi float [ %x14, %entry ], [ %w14, %loop ]
  %v15 = phi float [ %x15, %entry ], [ %w15, %loop ]
  %v16 = phi float [ %x16, %entry ], [ %w16, %loop ]
  %v17 = phi float [ %x17, %entry ], [ %w17, %loop ]
  %v18 = phi float [ %x18, %entry ], [ %w18, %loop ]
  %v19 = phi float [ %x19, %entry ], [ %w19, %loop ]
  %v20 = phi float [ %x20, %entry ], [ %w20, %loop ]
  %v21 = phi float [ %x21, %entry ], [ %w21, %loop ]
  %v22 = phi float [ %x22, %entry ], [ %w22, %loop ]
  %v23 = phi float [ %x23, %entry ], [ %w23, %loop ]
  %w0 = call float @llvm.fma.f32(float %v0, float %v1, float %v5)
  %w1 = call float @llvm.fma.f32(float %v1, float %v2, float %v6)
  %w2 = call float @llvm.fma.f32(float %v2, float %v3, float %v7)
  %w3 = call float @llvm.fma.f32(float %v3, float %v4, float %v8)
  %w4 = call float @llvm.fma.f32(float %v4, float %v5, float %v9)
  %w5 = call float @llvm.fma.f32(float %v5, float %v6, float %v10)
  %w6 = call float @llvm.fma.f32(float %v6, float %v7, float %v11)
  %w7 = call float @llvm.fma.f32(float %v7, float %v8, float %v12)
  %w8 = call float @llvm.fma.f32(float %v8, float %v9, float %v13)
  %w9 = call float @llvm.fma.f32(float %v9, float %v10, float %v14)
  %w10 = call float @llvm.fma.f32(float %v10, float %v11, float %v15)
  %w11 = call float @llvm.fma.f32(float %v11, float %v12, float %v16)
  %w12 = call float @llvm.fma.f32(float %v12, float %v13, float %v17)
  %w13 = call float @llvm.fma.f32(float %v13, float %v14, float %v18)
  %w14 = call float @llvm.fma.f32(float %v14, float %v15, float %v19)
  %w15 = call float @llvm.fma.f32(float %v15, float %v16, float %v20)
  %w16 = call float @llvm.fma.f32(float %v16, float %v17, float %v21)
  %w17 = call float @llvm.fma.f32(float %v17, float %v18, float %v22)
  %w18 = call float @llvm.fma.f32(float %v18, float %v19, float %v23)
  %w19 = call float @llvm.fma.f32(float %v19, float %v20, float %v0)
  %w20 = call float @llvm.fma.f32(float %v20, float %v21, float %v1)
  %w21 = call float @llvm.fma.f32(float %v21, float %v22, float %v2)
  %w22 = call float @llvm.fma.f32(float %v22, float %v23, float %v3)
  %w23 = call float @llvm.fma.f32(float %v23, float %v0, float %v4)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  %q0 = getelementptr float, ptr %out, i64 0
  %t0 = getelementptr float, ptr %q0, i64 %wide
  store float %w0, ptr %t0, align 4
  %q1 = getelementptr float, ptr %out, i64 64
  %t1 = getelementptr float, ptr %q1, i64 %wide
  store float %w1, ptr %t1, align 4
  %q2 = getelementptr float, ptr %out, i64 128
  %t2 = getelementptr float, ptr %q2, i64 %wide
  store float %w2, ptr %t2, align 4
  %q3 = getelementptr float, ptr %out, i64 192
  %t3 = getelementptr float, ptr %q3, i64 %wide
  store float %w3, ptr %t3, align 4
  %q4 = getelementptr float, ptr %out, i64 256
  %t4 = getelementptr float, ptr %q4, i64 %wide
  store float %w4, ptr %t4, align 4
  %q5 = getelementptr float, ptr %out, i64 320
  %t5 = getelementptr float, ptr %q5, i64 %wide
  store float %w5, ptr %t5, align 4
  %q6 = getelementptr float, ptr %out, i64 384
  %t6 = getelementptr float, ptr %q6, i64 %wide
  store float %w6, ptr %t6, align 4
  %q7 = getelementptr float, ptr %out, i64 448
  %t7 = getelementptr float, ptr %q7, i64 %wide
  store float %w7, ptr %t7, align 4
  %q8 = getelementptr float, ptr %out, i64 512
  %t8 = getelementptr float, ptr %q8, i64 %wide
  store float %w8, ptr %t8, align 4
  %q9 = getelementptr float, ptr %out, i64 576
  %t9 = getelementptr float, ptr %q9, i64 %wide
  store float %w9, ptr %t9, align 4
  %q10 = getelementptr float, ptr %out, i64 640
  %t10 = getelementptr float, ptr %q10, i64 %wide
  store float %w10, ptr %t10, align 4
  %q11 = getelementptr float, ptr %out, i64 704
  %t11 = getelementptr float, ptr %q11, i64 %wide
  store float %w11, ptr %t11, align 4
  %q12 = getelementptr float, ptr %out, i64 768
  %t12 = getelementptr float, ptr %q12, i64 %wide
  store float %w12, ptr %t12, align 4
  %q13 = getelementptr float, ptr %out, i64 832
  %t13 = getelementptr float, ptr %q13, i64 %wide
  store float %w13, ptr %t13, align 4
  %q14 = getelementptr float, ptr %out, i64 896
  %t14 = getelementptr float, ptr %q14, i64 %wide
  store float %w14, ptr %t14, align 4
  %q15 = getelementptr float, ptr %out, i64 960
  %t15 = getelementptr float, ptr %q15, i64 %wide
  store float %w15, ptr %t15, align 4
  %q16 = getelementptr float, ptr %out, i64 1024
  %t16 = getelementptr float, ptr %q16, i64 %wide
  store float %w16, ptr %t16, align 4
  %q17 = getelementptr float, ptr %out, i64 1088
  %t17 = getelementptr float, ptr %q17, i64 %wide
  store float %w17, ptr %t17, align 4
  %q18 = getelementptr float, ptr %out, i64 1152
  %t18 = getelementptr float, ptr %q18, i64 %wide
  store float %w18, ptr %t18, align 4
  %q19 = getelementptr float, ptr %out, i64 1216
  %t19 = getelementptr float, ptr %q19, i64 %wide
  store float %w19, ptr %t19, align 4
  %q20 = getelementptr float, ptr %out, i64 1280
  %t20 = getelementptr float, ptr %q20, i64 %wide
  store float %w20, ptr %t20, align 4
  %q21 = getelementptr float, ptr %out, i64 1344
  %t21 = getelementptr float, ptr %q21, i64 %wide
  store float %w21, ptr %t21, align 4
  %q22 = getelementptr float, ptr %out, i64 1408
  %t22 = getelementptr float, ptr %q22, i64 %wide
  store float %w22, ptr %t22, align 4
  %q23 = getelementptr float, ptr %out, i64 1472
  %t23 = getelementptr float, ptr %q23, i64 %wide
  store float %w23, ptr %t23, align 4
  ret void
}

define internal void @own.function(ptr %out) noinline {
  store float 2.0, ptr %out, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare float @llvm.fma.f32(float, float, float)
declare i32 @vprintf(ptr, ptr)

attributes #0 = { "target-cpu"="sm_90" "target-features"="+ptx87,+sm_90" "nvvm.maxntid"="1024" "nvvm.minctasm"="2" "nvvm.maxnreg"="24" }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, producer: "hand", isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly)
!1 = !DIFile(filename: "spills.cu", directory: "/home/user")
!2 = !{i32 2, !"Debug Info Version", i32 3}
