; Values that an outer loop carries are defined anew in every iteration of it: they would be stored as often as ptxas spills them,
; so they stay where they are, and the remark says that nothing else can wait.
; RUN: %opt -passes=steer-spills -verify-each -pass-remarks=warpwise -pass-remarks-missed=warpwise -S %s 2>%t | %FileCheck %s
; RUN: %FileCheck %s --check-prefix=REMARK < %t

target triple = "nvptx64-nvidia-cuda"

; CHECK-NOT: warpwise_slots
; REMARK-NOT: eased
; REMARK: register pressure of {{[0-9]+}} stays above 24 registers: nothing else can wait in shared memory
define ptx_kernel void @kernel(ptr noalias readonly %in, ptr noalias %out, i32 %n) #0 {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %first = getelementptr float, ptr %in, i64 %wide
  %start = load float, ptr %first, align 4
  br label %outer
outer:
  %j = phi i32 [ 0, %entry ], [ %j.next, %latch ]
  %s0 = phi float [ 0.0, %entry ], [ %n0, %latch ]
  %s1 = phi float [ 0.0, %entry ], [ %n1, %latch ]
  %s2 = phi float [ 0.0, %entry ], [ %n2, %latch ]
  %s3 = phi float [ 0.0, %entry ], [ %n3, %latch ]
  %s4 = phi float [ 0.0, %entry ], [ %n4, %latch ]
  %s5 = phi float [ 0.0, %entry ], [ %n5, %latch ]
  %s6 = phi float [ 0.0, %entry ], [ %n6, %latch ]
  %s7 = phi float [ 0.0, %entry ], [ %n7, %latch ]
  %s8 = phi float [ 0.0, %entry ], [ %n8, %latch ]
  %s9 = phi float [ 0.0, %entry ], [ %n9, %latch ]
  %s10 = phi float [ 0.0, %entry ], [ %n10, %latch ]
  %s11 = phi float [ 0.0, %entry ], [ %n11, %latch ]
  %s12 = phi float [ 0.0, %entry ], [ %n12, %latch ]
  %s13 = phi float [ 0.0, %entry ], [ %n13, %latch ]
  %s14 = phi float [ 0.0, %entry ], [ %n14, %latch ]
  %s15 = phi float [ 0.0, %entry ], [ %n15, %latch ]
  %s16 = phi float [ 0.0, %entry ], [ %n16, %latch ]
  %s17 = phi float [ 0.0, %entry ], [ %n17, %latch ]
  %s18 = phi float [ 0.0, %entry ], [ %n18, %latch ]
  %s19 = phi float [ 0.0, %entry ], [ %n19, %latch ]
  %s20 = phi float [ 0.0, %entry ], [ %n20, %latch ]
  %s21 = phi float [ 0.0, %entry ], [ %n21, %latch ]
  %s22 = phi float [ 0.0, %entry ], [ %n22, %latch ]
  %s23 = phi float [ 0.0, %entry ], [ %n23, %latch ]
  %s24 = phi float [ 0.0, %entry ], [ %n24, %latch ]
  %s25 = phi float [ 0.0, %entry ], [ %n25, %latch ]
  %s26 = phi float [ 0.0, %entry ], [ %n26, %latch ]
  %s27 = phi float [ 0.0, %entry ], [ %n27, %latch ]
  br label %inner
inner:
  %i = phi i32 [ 0, %outer ], [ %i.next, %inner ]
  %x = phi float [ %start, %outer ], [ %y, %inner ]
  %at = zext i32 %i to i64
  %p = getelementptr float, ptr %first, i64 %at
  %l = load float, ptr %p, align 4
  %y = fadd float %x, %l
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %inner, label %latch
latch:
  %m0 = fmul float %s0, %y
  %n0 = fadd float %m0, 0.0
  %m1 = fmul float %s1, %y
  %n1 = fadd float %m1, 1.0
  %m2 = fmul float %s2, %y
  %n2 = fadd float %m2, 2.0
  %m3 = fmul float %s3, %y
  %n3 = fadd float %m3, 3.0
  %m4 = fmul float %s4, %y
  %n4 = fadd float %m4, 4.0
  %m5 = fmul float %s5, %y
  %n5 = fadd float %m5, 5.0
  %m6 = fmul float %s6, %y
  %n6 = fadd float %m6, 6.0
  %m7 = fmul float %s7, %y
  %n7 = fadd float %m7, 7.0
  %m8 = fmul float %s8, %y
  %n8 = fadd float %m8, 8.0
  %m9 = fmul float %s9, %y
  %n9 = fadd float %m9, 9.0
  %m10 = fmul float %s10, %y
  %n10 = fadd float %m10, 10.0
  %m11 = fmul float %s11, %y
  %n11 = fadd float %m11, 11.0
  %m12 = fmul float %s12, %y
  %n12 = fadd float %m12, 12.0
  %m13 = fmul float %s13, %y
  %n13 = fadd float %m13, 13.0
  %m14 = fmul float %s14, %y
  %n14 = fadd float %m14, 14.0
  %m15 = fmul float %s15, %y
  %n15 = fadd float %m15, 15.0
  %m16 = fmul float %s16, %y
  %n16 = fadd float %m16, 16.0
  %m17 = fmul float %s17, %y
  %n17 = fadd float %m17, 17.0
  %m18 = fmul float %s18, %y
  %n18 = fadd float %m18, 18.0
  %m19 = fmul float %s19, %y
  %n19 = fadd float %m19, 19.0
  %m20 = fmul float %s20, %y
  %n20 = fadd float %m20, 20.0
  %m21 = fmul float %s21, %y
  %n21 = fadd float %m21, 21.0
  %m22 = fmul float %s22, %y
  %n22 = fadd float %m22, 22.0
  %m23 = fmul float %s23, %y
  %n23 = fadd float %m23, 23.0
  %m24 = fmul float %s24, %y
  %n24 = fadd float %m24, 24.0
  %m25 = fmul float %s25, %y
  %n25 = fadd float %m25, 25.0
  %m26 = fmul float %s26, %y
  %n26 = fadd float %m26, 26.0
  %m27 = fmul float %s27, %y
  %n27 = fadd float %m27, 27.0
  %j.next = add i32 %j, 1
  %again = icmp ult i32 %j.next, %n
  br i1 %again, label %outer, label %exit
exit:
  %r0 = fadd float %y, %n0
  %r1 = fadd float %r0, %n1
  %r2 = fadd float %r1, %n2
  %r3 = fadd float %r2, %n3
  %r4 = fadd float %r3, %n4
  %r5 = fadd float %r4, %n5
  %r6 = fadd float %r5, %n6
  %r7 = fadd float %r6, %n7
  %r8 = fadd float %r7, %n8
  %r9 = fadd float %r8, %n9
  %r10 = fadd float %r9, %n10
  %r11 = fadd float %r10, %n11
  %r12 = fadd float %r11, %n12
  %r13 = fadd float %r12, %n13
  %r14 = fadd float %r13, %n14
  %r15 = fadd float %r14, %n15
  %r16 = fadd float %r15, %n16
  %r17 = fadd float %r16, %n17
  %r18 = fadd float %r17, %n18
  %r19 = fadd float %r18, %n19
  %r20 = fadd float %r19, %n20
  %r21 = fadd float %r20, %n21
  %r22 = fadd float %r21, %n22
  %r23 = fadd float %r22, %n23
  %r24 = fadd float %r23, %n24
  %r25 = fadd float %r24, %n25
  %r26 = fadd float %r25, %n26
  %r27 = fadd float %r26, %n27
  %to = getelementptr float, ptr %out, i64 %wide
  store float %r27, ptr %to, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="256" "nvvm.maxnreg"="24" }
