; Loads that every lane needs behind branches start in front of them: LLVM's back end would move @joined's behind the first
; join, since only the second uses them. A statement that may write memory keeps them.
; RUN: %opt -passes=steer-spills -verify-each -pass-remarks=warpwise -S %s 2>%t | %FileCheck %s
; RUN: %FileCheck %s --check-prefix=REMARK --implicit-check-not=remark: < %t
; RUN: %opt -passes='steer-spills<limit=0>' -S %s 2>/dev/null | %FileCheck %s --check-prefix=LIMIT
; RUN: %opt -passes=steer-spills -S %s -o %t.ll
; RUN: %llc -mcpu=sm_90 -O3 %t.ll -o - | %FileCheck %s --check-prefix=PTX
; RUN: %llc -mcpu=sm_90 -O3 %s -o - | %FileCheck %s --check-prefix=SUNK
; RUN: %warpwise simt --compare %s %t.ll --kernel joined --block 32 --arg f32[192]:random:9 --arg f32[32]:zero
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; REMARK: remark: {{.*}} 5 loads stay in front of a branch, behind which LLVM's back end would move them
; CHECK-LABEL: @joined(
; CHECK: %y4 = load float
; CHECK: call void asm sideeffect "", "~{memory}"()
; CHECK-NEXT: br i1 %c, label %small, label %first
; CHECK-NOT: asm
; LIMIT-LABEL: @joined(
; LIMIT-NOT: asm
; PTX-LABEL: .entry joined(
; PTX-COUNT-6: ld.global{{.*}}b32
; PTX: bra
; SUNK-LABEL: .entry joined(
; SUNK: ld.global{{.*}}b32
; SUNK-NEXT: setp
; SUNK: bra
; SUNK-COUNT-5: ld.global{{.*}}b32
define ptx_kernel void @joined(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %in, i32 %tid
  %x = load float, ptr addrspace(1) %p
  %j0 = add i32 %tid, 32
  %q0 = getelementptr float, ptr addrspace(1) %in, i32 %j0
  %y0 = load float, ptr addrspace(1) %q0
  %j1 = add i32 %tid, 64
  %q1 = getelementptr float, ptr addrspace(1) %in, i32 %j1
  %y1 = load float, ptr addrspace(1) %q1
  %j2 = add i32 %tid, 96
  %q2 = getelementptr float, ptr addrspace(1) %in, i32 %j2
  %y2 = load float, ptr addrspace(1) %q2
  %j3 = add i32 %tid, 128
  %q3 = getelementptr float, ptr addrspace(1) %in, i32 %j3
  %y3 = load float, ptr addrspace(1) %q3
  %j4 = add i32 %tid, 160
  %q4 = getelementptr float, ptr addrspace(1) %in, i32 %j4
  %y4 = load float, ptr addrspace(1) %q4
  %c = fcmp olt float %x, 0.5
  br i1 %c, label %small, label %first
small:
  %half = fdiv float 1.0, %x
  br label %first
first:
  %a = phi float [ %half, %small ], [ %x, %0 ]
  %d = fcmp olt float %a, 1.5
  br i1 %d, label %more, label %second
more:
  %third = fdiv float 3.0, %a
  br label %second
second:
  %b = phi float [ %third, %more ], [ %a, %first ]
  %e0 = fadd float %b, %y0
  %e1 = fadd float %e0, %y1
  %e2 = fadd float %e1, %y2
  %e3 = fadd float %e2, %y3
  %e = fadd float %e3, %y4
  %to = getelementptr float, ptr addrspace(1) %out, i32 %tid
  store float %e, ptr addrspace(1) %to
  ret void
}
