; The same in an outer loop: the stores wait for the warp, which may still be reading the last ones.
; RUN: %opt -passes=steer-spills -verify-each -S %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define ptx_kernel void @kernel
; CHECK:       outer:
; CHECK:       call void @llvm.nvvm.bar.warp.sync(i32 -1)
; CHECK-NEXT:  bitcast float %uni.c
; CHECK:       store volatile i32
; CHECK:       call void @llvm.nvvm.bar.warp.sync(i32 -1)
; CHECK-NEXT:  br label %loop
; CHECK:       loop:
; CHECK:       load volatile <4 x i32>
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
  br label %outer
outer:
  %o = phi i32 [ 0, %entry ], [ %o.next, %latch ]
  %y0 = phi float [ %x0, %entry ], [ %w0, %latch ]
  %y1 = phi float [ %x1, %entry ], [ %w1, %latch ]
  %y2 = phi float [ %x2, %entry ], [ %w2, %latch ]
  %y3 = phi float [ %x3, %entry ], [ %w3, %latch ]
  %o64 = zext i32 %o to i64
  %cp0 = getelementptr float, ptr %coef, i64 0
  %co0 = getelementptr float, ptr %cp0, i64 %o64
  %cv0 = load float, ptr %co0, align 4
  %uni.c0 = fmul float %cv0, %cv0
  %cp1 = getelementptr float, ptr %coef, i64 2
  %co1 = getelementptr float, ptr %cp1, i64 %o64
  %cv1 = load float, ptr %co1, align 4
  %uni.c1 = fmul float %cv1, %cv1
  %cp2 = getelementptr float, ptr %coef, i64 4
  %co2 = getelementptr float, ptr %cp2, i64 %o64
  %cv2 = load float, ptr %co2, align 4
  %uni.c2 = fmul float %cv2, %cv2
  %cp3 = getelementptr float, ptr %coef, i64 6
  %co3 = getelementptr float, ptr %cp3, i64 %o64
  %cv3 = load float, ptr %co3, align 4
  %uni.c3 = fmul float %cv3, %cv3
  %cp4 = getelementptr float, ptr %coef, i64 8
  %co4 = getelementptr float, ptr %cp4, i64 %o64
  %cv4 = load float, ptr %co4, align 4
  %uni.c4 = fmul float %cv4, %cv4
  %cp5 = getelementptr float, ptr %coef, i64 10
  %co5 = getelementptr float, ptr %cp5, i64 %o64
  %cv5 = load float, ptr %co5, align 4
  %uni.c5 = fmul float %cv5, %cv5
  %cp6 = getelementptr float, ptr %coef, i64 12
  %co6 = getelementptr float, ptr %cp6, i64 %o64
  %cv6 = load float, ptr %co6, align 4
  %uni.c6 = fmul float %cv6, %cv6
  %cp7 = getelementptr float, ptr %coef, i64 14
  %co7 = getelementptr float, ptr %cp7, i64 %o64
  %cv7 = load float, ptr %co7, align 4
  %uni.c7 = fmul float %cv7, %cv7
  %cp8 = getelementptr float, ptr %coef, i64 16
  %co8 = getelementptr float, ptr %cp8, i64 %o64
  %cv8 = load float, ptr %co8, align 4
  %uni.c8 = fmul float %cv8, %cv8
  %cp9 = getelementptr float, ptr %coef, i64 18
  %co9 = getelementptr float, ptr %cp9, i64 %o64
  %cv9 = load float, ptr %co9, align 4
  %uni.c9 = fmul float %cv9, %cv9
  %cp10 = getelementptr float, ptr %coef, i64 20
  %co10 = getelementptr float, ptr %cp10, i64 %o64
  %cv10 = load float, ptr %co10, align 4
  %uni.c10 = fmul float %cv10, %cv10
  %cp11 = getelementptr float, ptr %coef, i64 22
  %co11 = getelementptr float, ptr %cp11, i64 %o64
  %cv11 = load float, ptr %co11, align 4
  %uni.c11 = fmul float %cv11, %cv11
  %cp12 = getelementptr float, ptr %coef, i64 24
  %co12 = getelementptr float, ptr %cp12, i64 %o64
  %cv12 = load float, ptr %co12, align 4
  %uni.c12 = fmul float %cv12, %cv12
  %cp13 = getelementptr float, ptr %coef, i64 26
  %co13 = getelementptr float, ptr %cp13, i64 %o64
  %cv13 = load float, ptr %co13, align 4
  %uni.c13 = fmul float %cv13, %cv13
  %cp14 = getelementptr float, ptr %coef, i64 28
  %co14 = getelementptr float, ptr %cp14, i64 %o64
  %cv14 = load float, ptr %co14, align 4
  %uni.c14 = fmul float %cv14, %cv14
  %cp15 = getelementptr float, ptr %coef, i64 30
  %co15 = getelementptr float, ptr %cp15, i64 %o64
  %cv15 = load float, ptr %co15, align 4
  %uni.c15 = fmul float %cv15, %cv15
  %cp16 = getelementptr float, ptr %coef, i64 32
  %co16 = getelementptr float, ptr %cp16, i64 %o64
  %cv16 = load float, ptr %co16, align 4
  %uni.c16 = fmul float %cv16, %cv16
  %cp17 = getelementptr float, ptr %coef, i64 34
  %co17 = getelementptr float, ptr %cp17, i64 %o64
  %cv17 = load float, ptr %co17, align 4
  %uni.c17 = fmul float %cv17, %cv17
  %cp18 = getelementptr float, ptr %coef, i64 36
  %co18 = getelementptr float, ptr %cp18, i64 %o64
  %cv18 = load float, ptr %co18, align 4
  %uni.c18 = fmul float %cv18, %cv18
  %cp19 = getelementptr float, ptr %coef, i64 38
  %co19 = getelementptr float, ptr %cp19, i64 %o64
  %cv19 = load float, ptr %co19, align 4
  %uni.c19 = fmul float %cv19, %cv19
  %cp20 = getelementptr float, ptr %coef, i64 40
  %co20 = getelementptr float, ptr %cp20, i64 %o64
  %cv20 = load float, ptr %co20, align 4
  %uni.c20 = fmul float %cv20, %cv20
  %cp21 = getelementptr float, ptr %coef, i64 42
  %co21 = getelementptr float, ptr %cp21, i64 %o64
  %cv21 = load float, ptr %co21, align 4
  %uni.c21 = fmul float %cv21, %cv21
  %cp22 = getelementptr float, ptr %coef, i64 44
  %co22 = getelementptr float, ptr %cp22, i64 %o64
  %cv22 = load float, ptr %co22, align 4
  %uni.c22 = fmul float %cv22, %cv22
  %cp23 = getelementptr float, ptr %coef, i64 46
  %co23 = getelementptr float, ptr %cp23, i64 %o64
  %cv23 = load float, ptr %co23, align 4
  %uni.c23 = fmul float %cv23, %cv23
  %cp24 = getelementptr float, ptr %coef, i64 48
  %co24 = getelementptr float, ptr %cp24, i64 %o64
  %cv24 = load float, ptr %co24, align 4
  %uni.c24 = fmul float %cv24, %cv24
  %cp25 = getelementptr float, ptr %coef, i64 50
  %co25 = getelementptr float, ptr %cp25, i64 %o64
  %cv25 = load float, ptr %co25, align 4
  %uni.c25 = fmul float %cv25, %cv25
  %cp26 = getelementptr float, ptr %coef, i64 52
  %co26 = getelementptr float, ptr %cp26, i64 %o64
  %cv26 = load float, ptr %co26, align 4
  %uni.c26 = fmul float %cv26, %cv26
  %cp27 = getelementptr float, ptr %coef, i64 54
  %co27 = getelementptr float, ptr %cp27, i64 %o64
  %cv27 = load float, ptr %co27, align 4
  %uni.c27 = fmul float %cv27, %cv27
  %cp28 = getelementptr float, ptr %coef, i64 56
  %co28 = getelementptr float, ptr %cp28, i64 %o64
  %cv28 = load float, ptr %co28, align 4
  %uni.c28 = fmul float %cv28, %cv28
  %cp29 = getelementptr float, ptr %coef, i64 58
  %co29 = getelementptr float, ptr %cp29, i64 %o64
  %cv29 = load float, ptr %co29, align 4
  %uni.c29 = fmul float %cv29, %cv29
  %cp30 = getelementptr float, ptr %coef, i64 60
  %co30 = getelementptr float, ptr %cp30, i64 %o64
  %cv30 = load float, ptr %co30, align 4
  %uni.c30 = fmul float %cv30, %cv30
  %cp31 = getelementptr float, ptr %coef, i64 62
  %co31 = getelementptr float, ptr %cp31, i64 %o64
  %cv31 = load float, ptr %co31, align 4
  %uni.c31 = fmul float %cv31, %cv31
  br label %loop
loop:
  %i = phi i32 [ 0, %outer ], [ %i.next, %loop ]
  %v0 = phi float [ %y0, %outer ], [ %w0, %loop ]
  %v1 = phi float [ %y1, %outer ], [ %w1, %loop ]
  %v2 = phi float [ %y2, %outer ], [ %w2, %loop ]
  %v3 = phi float [ %y3, %outer ], [ %w3, %loop ]
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
  br i1 %more, label %loop, label %latch
latch:
  %o.next = add i32 %o, 1
  %again = icmp ult i32 %o.next, %n
  br i1 %again, label %outer, label %exit
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
