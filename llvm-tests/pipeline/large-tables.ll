; A table that is read only and does not fit into constant memory is left in global memory, or ptxas would refuse the
; module; small ones stay, as does what host code or other modules may know.
;
; RUN: %opt -O1 -warpwise-off -S %s -o %t.ll
; RUN: %FileCheck %s < %t.ll
; RUN: %llc -mcpu=sm_90 %t.ll -o %t.ptx
; RUN: %ptxas -arch=sm_90 %t.ptx -o /dev/null
; RUN: sed 's/200000/2000/' %s | %opt -O1 -S - | %FileCheck %s --check-prefix=SMALL
target datalayout = "e-p6:32:32-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK: @large = internal {{.*}}addrspace(1) constant [200000 x i32]
; CHECK: @small = internal {{.*}}addrspace(4) constant [2 x float]
; CHECK: @known = {{.*}}addrspace(4)
; SMALL: @large = internal {{.*}}addrspace(4) constant
@large = internal addrspace(4) constant [200000 x i32] zeroinitializer, align 4
@small = internal addrspace(4) constant [2 x float] [float 1.0, float 2.0], align 8
@known = addrspace(4) externally_initialized constant [4000 x i32] zeroinitializer, align 4
@inside = addrspace(1) global ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(4) @large to ptr), i64 8)

define ptx_kernel void @k(ptr %p, i64 %i) {
  %a = getelementptr [200000 x i32], ptr addrspacecast (ptr addrspace(4) @large to ptr), i64 0, i64 %i
  %x = load i32, ptr %a
  %b = getelementptr [2 x float], ptr addrspacecast (ptr addrspace(4) @small to ptr), i64 0, i64 %i
  %y = load float, ptr %b
  %c = getelementptr [4000 x i32], ptr addrspacecast (ptr addrspace(4) @known to ptr), i64 0, i64 %i
  %z = load i32, ptr %c
  %s = add i32 %x, %z
  %t = sitofp i32 %s to float
  %u = fadd float %t, %y
  store float %u, ptr %p
  ret void
}
