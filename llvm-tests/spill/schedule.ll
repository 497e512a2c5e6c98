; Eight divisions, then all sums: a sum moves up to the division it needs, where its other operands end.
; RUN: %opt -passes=steer-spills -verify-each -pass-remarks=warpwise -S %s 2>%t | %FileCheck %s
; RUN: %FileCheck %s --check-prefix=REMARK < %t

target triple = "nvptx64-nvidia-cuda"

; REMARK: register pressure of {{[0-9]+}} for 14 registers eased to {{[0-9]+}}: 16 instructions are scheduled earlier
; CHECK: %q0 = fdiv
; CHECK-NEXT: %sa0 = call float @llvm.fma
; CHECK-NEXT: %sb0 = call float @llvm.fma
; CHECK: %q1 = fdiv
; CHECK-NEXT: %sa1 = call float @llvm.fma
define ptx_kernel void @kernel(ptr noalias readonly %in, ptr noalias %out, i32 %n) #0 {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %first = getelementptr float, ptr %in, i64 %wide
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %sa = phi float [ 0.0, %entry ], [ %sa7, %loop ]
  %sb = phi float [ 0.0, %entry ], [ %sb7, %loop ]
  %at = zext i32 %k to i64
  %p = getelementptr float, ptr %first, i64 %at
  %pa0 = getelementptr float, ptr %p, i64 0
  %a0 = load float, ptr %pa0, align 4
  %pb0 = getelementptr float, ptr %p, i64 1
  %b0 = load float, ptr %pb0, align 4
  %d0 = fmul float %a0, %b0
  %q0 = fdiv float 1.0, %d0
  %pa1 = getelementptr float, ptr %p, i64 3
  %a1 = load float, ptr %pa1, align 4
  %pb1 = getelementptr float, ptr %p, i64 4
  %b1 = load float, ptr %pb1, align 4
  %d1 = fmul float %a1, %b1
  %q1 = fdiv float 1.0, %d1
  %pa2 = getelementptr float, ptr %p, i64 6
  %a2 = load float, ptr %pa2, align 4
  %pb2 = getelementptr float, ptr %p, i64 7
  %b2 = load float, ptr %pb2, align 4
  %d2 = fmul float %a2, %b2
  %q2 = fdiv float 1.0, %d2
  %pa3 = getelementptr float, ptr %p, i64 9
  %a3 = load float, ptr %pa3, align 4
  %pb3 = getelementptr float, ptr %p, i64 10
  %b3 = load float, ptr %pb3, align 4
  %d3 = fmul float %a3, %b3
  %q3 = fdiv float 1.0, %d3
  %pa4 = getelementptr float, ptr %p, i64 12
  %a4 = load float, ptr %pa4, align 4
  %pb4 = getelementptr float, ptr %p, i64 13
  %b4 = load float, ptr %pb4, align 4
  %d4 = fmul float %a4, %b4
  %q4 = fdiv float 1.0, %d4
  %pa5 = getelementptr float, ptr %p, i64 15
  %a5 = load float, ptr %pa5, align 4
  %pb5 = getelementptr float, ptr %p, i64 16
  %b5 = load float, ptr %pb5, align 4
  %d5 = fmul float %a5, %b5
  %q5 = fdiv float 1.0, %d5
  %pa6 = getelementptr float, ptr %p, i64 18
  %a6 = load float, ptr %pa6, align 4
  %pb6 = getelementptr float, ptr %p, i64 19
  %b6 = load float, ptr %pb6, align 4
  %d6 = fmul float %a6, %b6
  %q6 = fdiv float 1.0, %d6
  %pa7 = getelementptr float, ptr %p, i64 21
  %a7 = load float, ptr %pa7, align 4
  %pb7 = getelementptr float, ptr %p, i64 22
  %b7 = load float, ptr %pb7, align 4
  %d7 = fmul float %a7, %b7
  %q7 = fdiv float 1.0, %d7
  %sa0 = call float @llvm.fma.f32(float %a0, float %q0, float %sa)
  %sb0 = call float @llvm.fma.f32(float %b0, float %q0, float %sb)
  %sa1 = call float @llvm.fma.f32(float %a1, float %q1, float %sa0)
  %sb1 = call float @llvm.fma.f32(float %b1, float %q1, float %sb0)
  %sa2 = call float @llvm.fma.f32(float %a2, float %q2, float %sa1)
  %sb2 = call float @llvm.fma.f32(float %b2, float %q2, float %sb1)
  %sa3 = call float @llvm.fma.f32(float %a3, float %q3, float %sa2)
  %sb3 = call float @llvm.fma.f32(float %b3, float %q3, float %sb2)
  %sa4 = call float @llvm.fma.f32(float %a4, float %q4, float %sa3)
  %sb4 = call float @llvm.fma.f32(float %b4, float %q4, float %sb3)
  %sa5 = call float @llvm.fma.f32(float %a5, float %q5, float %sa4)
  %sb5 = call float @llvm.fma.f32(float %b5, float %q5, float %sb4)
  %sa6 = call float @llvm.fma.f32(float %a6, float %q6, float %sa5)
  %sb6 = call float @llvm.fma.f32(float %b6, float %q6, float %sb5)
  %sa7 = call float @llvm.fma.f32(float %a7, float %q7, float %sa6)
  %sb7 = call float @llvm.fma.f32(float %b7, float %q7, float %sb6)
  %k.next = add i32 %k, 24
  %more = icmp ult i32 %k.next, %n
  br i1 %more, label %loop, label %exit
exit:
  %s = fadd float %sa7, %sb7
  %to = getelementptr float, ptr %out, i64 %wide
  store float %s, ptr %to, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare float @llvm.fma.f32(float, float, float)

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxnreg"="14" }
