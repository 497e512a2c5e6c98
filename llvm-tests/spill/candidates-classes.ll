; Which classes of victims may move is the user's to say, on the command line or between the brackets.
; RUN: %opt -passes='steer-spills<regs=12;victims=uniform>' -S %s | %FileCheck %s --check-prefix=SLOTS
; RUN: %opt -passes='steer-spills<regs=12;victims=affine+stack>' -S %s | %FileCheck %s --check-prefix=NONE
; RUN: %opt -passes='steer-spills<regs=12>' -warpwise-steer=none -S %s | %FileCheck %s --check-prefix=NONE
; RUN: not %opt -passes='steer-spills<victims=many>' -S %s 2>&1 | %FileCheck %s --check-prefix=WORD
; RUN: not %opt -passes=steer-spills -warpwise-steer=many -S %s 2>&1 | %FileCheck %s --check-prefix=WORD
; SLOTS: @warpwise_slots_kernel = internal addrspace(3) global
; NONE-NOT: @warpwise_slots_kernel
; WORD: 'many' is no class of spill candidates

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @kernel(ptr noalias readonly %coef, ptr noalias readonly %in, ptr noalias %out, i32 %n) #0 {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %xp0 = getelementptr float, ptr %in, i64 0
  %xq0 = getelementptr float, ptr %xp0, i64 %wide
  %x0 = load float, ptr %xq0, align 4
  %xp1 = getelementptr float, ptr %in, i64 1
  %xq1 = getelementptr float, ptr %xp1, i64 %wide
  %x1 = load float, ptr %xq1, align 4
  %xp2 = getelementptr float, ptr %in, i64 2
  %xq2 = getelementptr float, ptr %xp2, i64 %wide
  %x2 = load float, ptr %xq2, align 4
  %xp3 = getelementptr float, ptr %in, i64 3
  %xq3 = getelementptr float, ptr %xp3, i64 %wide
  %x3 = load float, ptr %xq3, align 4
  %cp0 = getelementptr float, ptr %coef, i64 0
  %cv0 = load float, ptr %cp0, align 4
  %uni.c0 = fmul float %cv0, %cv0
  %cp1 = getelementptr float, ptr %coef, i64 2
  %cv1 = load float, ptr %cp1, align 4
  %uni.c1 = fmul float %cv1, %cv1
  %cp2 = getelementptr float, ptr %coef, i64 4
  %cv2 = load float, ptr %cp2, align 4
  %uni.c2 = fmul float %cv2, %cv2
  %cp3 = getelementptr float, ptr %coef, i64 6
  %cv3 = load float, ptr %cp3, align 4
  %uni.c3 = fmul float %cv3, %cv3
  %cp4 = getelementptr float, ptr %coef, i64 8
  %cv4 = load float, ptr %cp4, align 4
  %uni.c4 = fmul float %cv4, %cv4
  %cp5 = getelementptr float, ptr %coef, i64 10
  %cv5 = load float, ptr %cp5, align 4
  %uni.c5 = fmul float %cv5, %cv5
  %cp6 = getelementptr float, ptr %coef, i64 12
  %cv6 = load float, ptr %cp6, align 4
  %uni.c6 = fmul float %cv6, %cv6
  %cp7 = getelementptr float, ptr %coef, i64 14
  %cv7 = load float, ptr %cp7, align 4
  %uni.c7 = fmul float %cv7, %cv7
  %cp8 = getelementptr float, ptr %coef, i64 16
  %cv8 = load float, ptr %cp8, align 4
  %uni.c8 = fmul float %cv8, %cv8
  %cp9 = getelementptr float, ptr %coef, i64 18
  %cv9 = load float, ptr %cp9, align 4
  %uni.c9 = fmul float %cv9, %cv9
  %cp10 = getelementptr float, ptr %coef, i64 20
  %cv10 = load float, ptr %cp10, align 4
  %uni.c10 = fmul float %cv10, %cv10
  %cp11 = getelementptr float, ptr %coef, i64 22
  %cv11 = load float, ptr %cp11, align 4
  %uni.c11 = fmul float %cv11, %cv11
  %cp12 = getelementptr float, ptr %coef, i64 24
  %cv12 = load float, ptr %cp12, align 4
  %uni.c12 = fmul float %cv12, %cv12
  %cp13 = getelementptr float, ptr %coef, i64 26
  %cv13 = load float, ptr %cp13, align 4
  %uni.c13 = fmul float %cv13, %cv13
  %cp14 = getelementptr float, ptr %coef, i64 28
  %cv14 = load float, ptr %cp14, align 4
  %uni.c14 = fmul float %cv14, %cv14
  %cp15 = getelementptr float, ptr %coef, i64 30
  %cv15 = load float, ptr %cp15, align 4
  %uni.c15 = fmul float %cv15, %cv15
  %cp16 = getelementptr float, ptr %coef, i64 32
  %cv16 = load float, ptr %cp16, align 4
  %uni.c16 = fmul float %cv16, %cv16
  %cp17 = getelementptr float, ptr %coef, i64 34
  %cv17 = load float, ptr %cp17, align 4
  %uni.c17 = fmul float %cv17, %cv17
  %cp18 = getelementptr float, ptr %coef, i64 36
  %cv18 = load float, ptr %cp18, align 4
  %uni.c18 = fmul float %cv18, %cv18
  %cp19 = getelementptr float, ptr %coef, i64 38
  %cv19 = load float, ptr %cp19, align 4
  %uni.c19 = fmul float %cv19, %cv19
  %cp20 = getelementptr float, ptr %coef, i64 40
  %cv20 = load float, ptr %cp20, align 4
  %uni.c20 = fmul float %cv20, %cv20
  %cp21 = getelementptr float, ptr %coef, i64 42
  %cv21 = load float, ptr %cp21, align 4
  %uni.c21 = fmul float %cv21, %cv21
  %cp22 = getelementptr float, ptr %coef, i64 44
  %cv22 = load float, ptr %cp22, align 4
  %uni.c22 = fmul float %cv22, %cv22
  %cp23 = getelementptr float, ptr %coef, i64 46
  %cv23 = load float, ptr %cp23, align 4
  %uni.c23 = fmul float %cv23, %cv23
  %cp24 = getelementptr float, ptr %coef, i64 48
  %cv24 = load float, ptr %cp24, align 4
  %uni.c24 = fmul float %cv24, %cv24
  %cp25 = getelementptr float, ptr %coef, i64 50
  %cv25 = load float, ptr %cp25, align 4
  %uni.c25 = fmul float %cv25, %cv25
  %cp26 = getelementptr float, ptr %coef, i64 52
  %cv26 = load float, ptr %cp26, align 4
  %uni.c26 = fmul float %cv26, %cv26
  %cp27 = getelementptr float, ptr %coef, i64 54
  %cv27 = load float, ptr %cp27, align 4
  %uni.c27 = fmul float %cv27, %cv27
  %cp28 = getelementptr float, ptr %coef, i64 56
  %cv28 = load float, ptr %cp28, align 4
  %uni.c28 = fmul float %cv28, %cv28
  %cp29 = getelementptr float, ptr %coef, i64 58
  %cv29 = load float, ptr %cp29, align 4
  %uni.c29 = fmul float %cv29, %cv29
  %cp30 = getelementptr float, ptr %coef, i64 60
  %cv30 = load float, ptr %cp30, align 4
  %uni.c30 = fmul float %cv30, %cv30
  %cp31 = getelementptr float, ptr %coef, i64 62
  %cv31 = load float, ptr %cp31, align 4
  %uni.c31 = fmul float %cv31, %cv31
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %v0 = phi float [ %x0, %entry ], [ %w0, %loop ]
  %v1 = phi float [ %x1, %entry ], [ %w1, %loop ]
  %v2 = phi float [ %x2, %entry ], [ %w2, %loop ]
  %v3 = phi float [ %x3, %entry ], [ %w3, %loop ]
  %t0 = call float @llvm.fma.f32(float %v1, float %uni.c0, float %v0)
  %t1 = call float @llvm.fma.f32(float %v2, float %uni.c1, float %v1)
  %t2 = call float @llvm.fma.f32(float %v3, float %uni.c2, float %v2)
  %t3 = call float @llvm.fma.f32(float %t0, float %uni.c3, float %v3)
  %t4 = call float @llvm.fma.f32(float %t1, float %uni.c4, float %t0)
  %t5 = call float @llvm.fma.f32(float %t2, float %uni.c5, float %t1)
  %t6 = call float @llvm.fma.f32(float %t3, float %uni.c6, float %t2)
  %t7 = call float @llvm.fma.f32(float %t4, float %uni.c7, float %t3)
  %t8 = call float @llvm.fma.f32(float %t5, float %uni.c8, float %t4)
  %t9 = call float @llvm.fma.f32(float %t6, float %uni.c9, float %t5)
  %t10 = call float @llvm.fma.f32(float %t7, float %uni.c10, float %t6)
  %t11 = call float @llvm.fma.f32(float %t8, float %uni.c11, float %t7)
  %t12 = call float @llvm.fma.f32(float %t9, float %uni.c12, float %t8)
  %t13 = call float @llvm.fma.f32(float %t10, float %uni.c13, float %t9)
  %t14 = call float @llvm.fma.f32(float %t11, float %uni.c14, float %t10)
  %t15 = call float @llvm.fma.f32(float %t12, float %uni.c15, float %t11)
  %t16 = call float @llvm.fma.f32(float %t13, float %uni.c16, float %t12)
  %t17 = call float @llvm.fma.f32(float %t14, float %uni.c17, float %t13)
  %t18 = call float @llvm.fma.f32(float %t15, float %uni.c18, float %t14)
  %t19 = call float @llvm.fma.f32(float %t16, float %uni.c19, float %t15)
  %t20 = call float @llvm.fma.f32(float %t17, float %uni.c20, float %t16)
  %t21 = call float @llvm.fma.f32(float %t18, float %uni.c21, float %t17)
  %t22 = call float @llvm.fma.f32(float %t19, float %uni.c22, float %t18)
  %t23 = call float @llvm.fma.f32(float %t20, float %uni.c23, float %t19)
  %t24 = call float @llvm.fma.f32(float %t21, float %uni.c24, float %t20)
  %t25 = call float @llvm.fma.f32(float %t22, float %uni.c25, float %t21)
  %t26 = call float @llvm.fma.f32(float %t23, float %uni.c26, float %t22)
  %t27 = call float @llvm.fma.f32(float %t24, float %uni.c27, float %t23)
  %w0 = call float @llvm.fma.f32(float %t25, float %uni.c28, float %t24)
  %w1 = call float @llvm.fma.f32(float %t26, float %uni.c29, float %t25)
  %w2 = call float @llvm.fma.f32(float %t27, float %uni.c30, float %t26)
  %w3 = call float @llvm.fma.f32(float %w0, float %uni.c31, float %t27)
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %loop, label %exit
exit:
  %op0 = getelementptr float, ptr %out, i64 0
  %oq0 = getelementptr float, ptr %op0, i64 %wide
  store float %w0, ptr %oq0, align 4
  %op1 = getelementptr float, ptr %out, i64 1024
  %oq1 = getelementptr float, ptr %op1, i64 %wide
  store float %w1, ptr %oq1, align 4
  %op2 = getelementptr float, ptr %out, i64 2048
  %oq2 = getelementptr float, ptr %op2, i64 %wide
  store float %w2, ptr %oq2, align 4
  %op3 = getelementptr float, ptr %out, i64 3072
  %oq3 = getelementptr float, ptr %op3, i64 %wide
  store float %w3, ptr %oq3, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare float @llvm.fma.f32(float, float, float)

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="1024" "nvvm.minctasm"="2" }
