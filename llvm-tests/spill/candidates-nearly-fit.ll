; Ten values that all lanes agree on live through the loop, and its block needs more registers than there are only in the order in
; which it stands: ptxas finds another. With a register less they go to slots of the warp.
; RUN: %opt -passes='steer-spills<regs=16;block=128>' -verify-each -S %s | %FileCheck %s
; RUN: %opt -passes='steer-spills<regs=15;block=128>' -verify-each -pass-remarks=warpwise -disable-output %s 2>&1 \
; RUN:   | %FileCheck --check-prefix=FEWER %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-NOT: warpwise_slots
; FEWER: register pressure of {{[0-9]+}} for 15 registers eased to {{[0-9]+}}: {{[0-9]+}} values in a slot per warp

define ptx_kernel void @kernel(ptr %coefficients, ptr %in, ptr %out, i32 %n) #0 {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %from = getelementptr float, ptr %in, i64 %wide
  %at.0 = getelementptr float, ptr %coefficients, i64 0
  %read.0 = load float, ptr %at.0, align 4
  %c.0 = fmul float %read.0, %read.0
  %at.1 = getelementptr float, ptr %coefficients, i64 1
  %read.1 = load float, ptr %at.1, align 4
  %c.1 = fmul float %read.1, %read.1
  %at.2 = getelementptr float, ptr %coefficients, i64 2
  %read.2 = load float, ptr %at.2, align 4
  %c.2 = fmul float %read.2, %read.2
  %at.3 = getelementptr float, ptr %coefficients, i64 3
  %read.3 = load float, ptr %at.3, align 4
  %c.3 = fmul float %read.3, %read.3
  %at.4 = getelementptr float, ptr %coefficients, i64 4
  %read.4 = load float, ptr %at.4, align 4
  %c.4 = fmul float %read.4, %read.4
  %at.5 = getelementptr float, ptr %coefficients, i64 5
  %read.5 = load float, ptr %at.5, align 4
  %c.5 = fmul float %read.5, %read.5
  %at.6 = getelementptr float, ptr %coefficients, i64 6
  %read.6 = load float, ptr %at.6, align 4
  %c.6 = fmul float %read.6, %read.6
  %at.7 = getelementptr float, ptr %coefficients, i64 7
  %read.7 = load float, ptr %at.7, align 4
  %c.7 = fmul float %read.7, %read.7
  %at.8 = getelementptr float, ptr %coefficients, i64 8
  %read.8 = load float, ptr %at.8, align 4
  %c.8 = fmul float %read.8, %read.8
  %at.9 = getelementptr float, ptr %coefficients, i64 9
  %read.9 = load float, ptr %at.9, align 4
  %c.9 = fmul float %read.9, %read.9
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %added, %loop ]
  %x = load float, ptr %from, align 4
  %m.0 = fmul float %x, %c.0
  %m.1 = fmul float %x, %c.1
  %m.2 = fmul float %x, %c.2
  %m.3 = fmul float %x, %c.3
  %m.4 = fmul float %x, %c.4
  %m.5 = fmul float %x, %c.5
  %m.6 = fmul float %x, %c.6
  %m.7 = fmul float %x, %c.7
  %m.8 = fmul float %x, %c.8
  %m.9 = fmul float %x, %c.9
  %a.0 = fadd float %sum, %m.0
  %a.1 = fadd float %a.0, %m.1
  %a.2 = fadd float %a.1, %m.2
  %a.3 = fadd float %a.2, %m.3
  %a.4 = fadd float %a.3, %m.4
  %a.5 = fadd float %a.4, %m.5
  %a.6 = fadd float %a.5, %m.6
  %a.7 = fadd float %a.6, %m.7
  %a.8 = fadd float %a.7, %m.8
  %a.9 = fadd float %a.8, %m.9
  %added = fadd float %a.9, 1.0
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %done

done:
  %to = getelementptr float, ptr %out, i64 %wide
  store float %added, ptr %to, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" }
