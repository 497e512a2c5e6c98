; A product that the warp agrees on plus the thread index: the product waits in the slot, the index is added at the use.
; RUN: %opt -passes=steer-spills -verify-each -S %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define ptx_kernel void @kernel
; CHECK:       [[REST:%.*]] = sub i32 %aff.c0, [[TID:%[0-9]+]]
; CHECK:       store volatile i32 [[REST]], ptr addrspace(3)
; CHECK:       loop:
; CHECK:       [[BACK:%.*]] = extractelement <4 x i32> {{.*}}, i32 0
; CHECK:       [[WHOLE:%.*]] = add i32 [[BACK]], [[TID]]
; CHECK:       xor i32 %v0, [[WHOLE]]
define ptx_kernel void @kernel(ptr noalias readonly %coef, ptr noalias readonly %in, ptr noalias %out, i32 %n) #0 {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %xp0 = getelementptr i32, ptr %in, i64 0
  %xq0 = getelementptr i32, ptr %xp0, i64 %wide
  %x0 = load i32, ptr %xq0, align 4
  %xp1 = getelementptr i32, ptr %in, i64 1
  %xq1 = getelementptr i32, ptr %xp1, i64 %wide
  %x1 = load i32, ptr %xq1, align 4
  %xp2 = getelementptr i32, ptr %in, i64 2
  %xq2 = getelementptr i32, ptr %xp2, i64 %wide
  %x2 = load i32, ptr %xq2, align 4
  %xp3 = getelementptr i32, ptr %in, i64 3
  %xq3 = getelementptr i32, ptr %xp3, i64 %wide
  %x3 = load i32, ptr %xq3, align 4
  %cp0 = getelementptr i32, ptr %coef, i64 0
  %cv0 = load i32, ptr %cp0, align 4
  %cw0 = mul i32 %cv0, %cv0
  %aff.c0 = add i32 %cw0, %tid
  %cp1 = getelementptr i32, ptr %coef, i64 2
  %cv1 = load i32, ptr %cp1, align 4
  %cw1 = mul i32 %cv1, %cv1
  %aff.c1 = add i32 %cw1, %tid
  %cp2 = getelementptr i32, ptr %coef, i64 4
  %cv2 = load i32, ptr %cp2, align 4
  %cw2 = mul i32 %cv2, %cv2
  %aff.c2 = add i32 %cw2, %tid
  %cp3 = getelementptr i32, ptr %coef, i64 6
  %cv3 = load i32, ptr %cp3, align 4
  %cw3 = mul i32 %cv3, %cv3
  %aff.c3 = add i32 %cw3, %tid
  %cp4 = getelementptr i32, ptr %coef, i64 8
  %cv4 = load i32, ptr %cp4, align 4
  %cw4 = mul i32 %cv4, %cv4
  %aff.c4 = add i32 %cw4, %tid
  %cp5 = getelementptr i32, ptr %coef, i64 10
  %cv5 = load i32, ptr %cp5, align 4
  %cw5 = mul i32 %cv5, %cv5
  %aff.c5 = add i32 %cw5, %tid
  %cp6 = getelementptr i32, ptr %coef, i64 12
  %cv6 = load i32, ptr %cp6, align 4
  %cw6 = mul i32 %cv6, %cv6
  %aff.c6 = add i32 %cw6, %tid
  %cp7 = getelementptr i32, ptr %coef, i64 14
  %cv7 = load i32, ptr %cp7, align 4
  %cw7 = mul i32 %cv7, %cv7
  %aff.c7 = add i32 %cw7, %tid
  %cp8 = getelementptr i32, ptr %coef, i64 16
  %cv8 = load i32, ptr %cp8, align 4
  %cw8 = mul i32 %cv8, %cv8
  %aff.c8 = add i32 %cw8, %tid
  %cp9 = getelementptr i32, ptr %coef, i64 18
  %cv9 = load i32, ptr %cp9, align 4
  %cw9 = mul i32 %cv9, %cv9
  %aff.c9 = add i32 %cw9, %tid
  %cp10 = getelementptr i32, ptr %coef, i64 20
  %cv10 = load i32, ptr %cp10, align 4
  %cw10 = mul i32 %cv10, %cv10
  %aff.c10 = add i32 %cw10, %tid
  %cp11 = getelementptr i32, ptr %coef, i64 22
  %cv11 = load i32, ptr %cp11, align 4
  %cw11 = mul i32 %cv11, %cv11
  %aff.c11 = add i32 %cw11, %tid
  %cp12 = getelementptr i32, ptr %coef, i64 24
  %cv12 = load i32, ptr %cp12, align 4
  %cw12 = mul i32 %cv12, %cv12
  %aff.c12 = add i32 %cw12, %tid
  %cp13 = getelementptr i32, ptr %coef, i64 26
  %cv13 = load i32, ptr %cp13, align 4
  %cw13 = mul i32 %cv13, %cv13
  %aff.c13 = add i32 %cw13, %tid
  %cp14 = getelementptr i32, ptr %coef, i64 28
  %cv14 = load i32, ptr %cp14, align 4
  %cw14 = mul i32 %cv14, %cv14
  %aff.c14 = add i32 %cw14, %tid
  %cp15 = getelementptr i32, ptr %coef, i64 30
  %cv15 = load i32, ptr %cp15, align 4
  %cw15 = mul i32 %cv15, %cv15
  %aff.c15 = add i32 %cw15, %tid
  %cp16 = getelementptr i32, ptr %coef, i64 32
  %cv16 = load i32, ptr %cp16, align 4
  %cw16 = mul i32 %cv16, %cv16
  %aff.c16 = add i32 %cw16, %tid
  %cp17 = getelementptr i32, ptr %coef, i64 34
  %cv17 = load i32, ptr %cp17, align 4
  %cw17 = mul i32 %cv17, %cv17
  %aff.c17 = add i32 %cw17, %tid
  %cp18 = getelementptr i32, ptr %coef, i64 36
  %cv18 = load i32, ptr %cp18, align 4
  %cw18 = mul i32 %cv18, %cv18
  %aff.c18 = add i32 %cw18, %tid
  %cp19 = getelementptr i32, ptr %coef, i64 38
  %cv19 = load i32, ptr %cp19, align 4
  %cw19 = mul i32 %cv19, %cv19
  %aff.c19 = add i32 %cw19, %tid
  %cp20 = getelementptr i32, ptr %coef, i64 40
  %cv20 = load i32, ptr %cp20, align 4
  %cw20 = mul i32 %cv20, %cv20
  %aff.c20 = add i32 %cw20, %tid
  %cp21 = getelementptr i32, ptr %coef, i64 42
  %cv21 = load i32, ptr %cp21, align 4
  %cw21 = mul i32 %cv21, %cv21
  %aff.c21 = add i32 %cw21, %tid
  %cp22 = getelementptr i32, ptr %coef, i64 44
  %cv22 = load i32, ptr %cp22, align 4
  %cw22 = mul i32 %cv22, %cv22
  %aff.c22 = add i32 %cw22, %tid
  %cp23 = getelementptr i32, ptr %coef, i64 46
  %cv23 = load i32, ptr %cp23, align 4
  %cw23 = mul i32 %cv23, %cv23
  %aff.c23 = add i32 %cw23, %tid
  %cp24 = getelementptr i32, ptr %coef, i64 48
  %cv24 = load i32, ptr %cp24, align 4
  %cw24 = mul i32 %cv24, %cv24
  %aff.c24 = add i32 %cw24, %tid
  %cp25 = getelementptr i32, ptr %coef, i64 50
  %cv25 = load i32, ptr %cp25, align 4
  %cw25 = mul i32 %cv25, %cv25
  %aff.c25 = add i32 %cw25, %tid
  %cp26 = getelementptr i32, ptr %coef, i64 52
  %cv26 = load i32, ptr %cp26, align 4
  %cw26 = mul i32 %cv26, %cv26
  %aff.c26 = add i32 %cw26, %tid
  %cp27 = getelementptr i32, ptr %coef, i64 54
  %cv27 = load i32, ptr %cp27, align 4
  %cw27 = mul i32 %cv27, %cv27
  %aff.c27 = add i32 %cw27, %tid
  %cp28 = getelementptr i32, ptr %coef, i64 56
  %cv28 = load i32, ptr %cp28, align 4
  %cw28 = mul i32 %cv28, %cv28
  %aff.c28 = add i32 %cw28, %tid
  %cp29 = getelementptr i32, ptr %coef, i64 58
  %cv29 = load i32, ptr %cp29, align 4
  %cw29 = mul i32 %cv29, %cv29
  %aff.c29 = add i32 %cw29, %tid
  %cp30 = getelementptr i32, ptr %coef, i64 60
  %cv30 = load i32, ptr %cp30, align 4
  %cw30 = mul i32 %cv30, %cv30
  %aff.c30 = add i32 %cw30, %tid
  %cp31 = getelementptr i32, ptr %coef, i64 62
  %cv31 = load i32, ptr %cp31, align 4
  %cw31 = mul i32 %cv31, %cv31
  %aff.c31 = add i32 %cw31, %tid
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %v0 = phi i32 [ %x0, %entry ], [ %w0, %loop ]
  %v1 = phi i32 [ %x1, %entry ], [ %w1, %loop ]
  %v2 = phi i32 [ %x2, %entry ], [ %w2, %loop ]
  %v3 = phi i32 [ %x3, %entry ], [ %w3, %loop ]
  %t0 = xor i32 %v0, %aff.c0
  %t1 = xor i32 %v1, %aff.c1
  %t2 = xor i32 %v2, %aff.c2
  %t3 = xor i32 %v3, %aff.c3
  %t4 = xor i32 %t0, %aff.c4
  %t5 = xor i32 %t1, %aff.c5
  %t6 = xor i32 %t2, %aff.c6
  %t7 = xor i32 %t3, %aff.c7
  %t8 = xor i32 %t4, %aff.c8
  %t9 = xor i32 %t5, %aff.c9
  %t10 = xor i32 %t6, %aff.c10
  %t11 = xor i32 %t7, %aff.c11
  %t12 = xor i32 %t8, %aff.c12
  %t13 = xor i32 %t9, %aff.c13
  %t14 = xor i32 %t10, %aff.c14
  %t15 = xor i32 %t11, %aff.c15
  %t16 = xor i32 %t12, %aff.c16
  %t17 = xor i32 %t13, %aff.c17
  %t18 = xor i32 %t14, %aff.c18
  %t19 = xor i32 %t15, %aff.c19
  %t20 = xor i32 %t16, %aff.c20
  %t21 = xor i32 %t17, %aff.c21
  %t22 = xor i32 %t18, %aff.c22
  %t23 = xor i32 %t19, %aff.c23
  %t24 = xor i32 %t20, %aff.c24
  %t25 = xor i32 %t21, %aff.c25
  %t26 = xor i32 %t22, %aff.c26
  %t27 = xor i32 %t23, %aff.c27
  %w0 = xor i32 %t24, %aff.c28
  %w1 = xor i32 %t25, %aff.c29
  %w2 = xor i32 %t26, %aff.c30
  %w3 = xor i32 %t27, %aff.c31
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %loop, label %exit
exit:
  %op0 = getelementptr i32, ptr %out, i64 0
  %oq0 = getelementptr i32, ptr %op0, i64 %wide
  store i32 %w0, ptr %oq0, align 4
  %op1 = getelementptr i32, ptr %out, i64 1024
  %oq1 = getelementptr i32, ptr %op1, i64 %wide
  store i32 %w1, ptr %oq1, align 4
  %op2 = getelementptr i32, ptr %out, i64 2048
  %oq2 = getelementptr i32, ptr %op2, i64 %wide
  store i32 %w2, ptr %oq2, align 4
  %op3 = getelementptr i32, ptr %out, i64 3072
  %oq3 = getelementptr i32, ptr %op3, i64 %wide
  store i32 %w3, ptr %oq3, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="1024" "nvvm.minctasm"="2" }
