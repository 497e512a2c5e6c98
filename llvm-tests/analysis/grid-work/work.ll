; What all threads of the grid compute alike from arguments, launch dimensions and constants is told if it is worth an
; argument: the divisions and the square root, not the division by something that the block or a load gives.
;
; RUN: %opt -passes=warpwise-remarks -pass-remarks-analysis=warpwise -disable-output %s 2>&1 | %FileCheck %s

; CHECK: remark: {{.*}}grid-uniform work: 4 instructions a thread, of which 2 divisions and 1 call, could be computed once on the host and passed as 1 argument: {{[0-9]+}} % of the kernel's issue cycles; 1 more instruction depends on 1 load of data that all threads read alike

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @shared(ptr noalias %p, ptr noalias readonly %table, i32 %n, float %x) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %blocks = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %part = udiv i32 %n, %blocks
  %f = uitofp i32 %part to float
  %q = fdiv float %x, %f
  %r = call float @llvm.sqrt.f32(float %q)
  %first = load float, ptr %table, !invariant.load !0
  %scaled = fmul float %r, %first
  %at = getelementptr float, ptr %p, i32 %t
  store float %scaled, ptr %at
  ret void
}

; a function is no kernel
define float @function(i32 %n, float %x) {
  %f = uitofp i32 %n to float
  %q = fdiv float %x, %f
  ret float %q
}

; the divisor is the block's own, and changes from one iteration to the next
define ptx_kernel void @own(ptr noalias %p, i32 %n, float %x) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %bf = uitofp i32 %b to float
  %q = fdiv float %x, %bf
  br label %loop
loop:
  %i = phi i32 [ 1, %entry ], [ %next, %loop ]
  %sum = phi float [ %q, %entry ], [ %more, %loop ]
  %if = uitofp i32 %i to float
  %term = fdiv float %x, %if
  %more = fadd float %sum, %term
  %next = add i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %end, label %loop
end:
  store float %more, ptr %p
  ret void
}

; not worth it
define ptx_kernel void @little(ptr noalias %p, i32 %n) {
  %m = add i32 %n, 1
  %k = mul i32 %m, %n
  store i32 %k, ptr %p
  ret void
}


; as many results as cheap instructions
define ptx_kernel void @cheap(ptr noalias %p, i64 %n) {
  %a3 = xor i64 %n, 3
  %q3 = getelementptr i64, ptr %p, i64 3
  store i64 %a3, ptr %q3
  %a4 = xor i64 %n, 4
  %q4 = getelementptr i64, ptr %p, i64 4
  store i64 %a4, ptr %q4
  %a5 = xor i64 %n, 5
  %q5 = getelementptr i64, ptr %p, i64 5
  store i64 %a5, ptr %q5
  %a6 = xor i64 %n, 6
  %q6 = getelementptr i64, ptr %p, i64 6
  store i64 %a6, ptr %q6
  %a7 = xor i64 %n, 7
  %q7 = getelementptr i64, ptr %p, i64 7
  store i64 %a7, ptr %q7
  %a8 = xor i64 %n, 8
  %q8 = getelementptr i64, ptr %p, i64 8
  store i64 %a8, ptr %q8
  %a9 = xor i64 %n, 9
  %q9 = getelementptr i64, ptr %p, i64 9
  store i64 %a9, ptr %q9
  %a10 = xor i64 %n, 10
  %q10 = getelementptr i64, ptr %p, i64 10
  store i64 %a10, ptr %q10
  %a11 = xor i64 %n, 11
  %q11 = getelementptr i64, ptr %p, i64 11
  store i64 %a11, ptr %q11
  %a12 = xor i64 %n, 12
  %q12 = getelementptr i64, ptr %p, i64 12
  store i64 %a12, ptr %q12
  ret void
}

; an argument passed in a structure
; CHECK: remark: {{.*}}grid-uniform work: 1 instruction a thread, of which 1 division, could be computed once on the host and passed as 1 argument
define ptx_kernel void @structure(ptr noalias %p, ptr readonly byval([2 x float]) %s) {
  %second = getelementptr i8, ptr %s, i64 4
  %a = load float, ptr %s
  %b = load float, ptr %second
  %q = fdiv float %a, %b
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr float, ptr %p, i32 %t
  store float %q, ptr %at
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare float @llvm.sqrt.f32(float)
!0 = !{}
