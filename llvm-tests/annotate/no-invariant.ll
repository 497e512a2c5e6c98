; RUN: %opt -passes='annotate-uniform<assume-restrict>' -S %s | %FileCheck %s
; Written by the kernel, atomic, volatile, of unknown origin, or passed by a caller nobody sees: not invariant.
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-NOT: !invariant.load
define ptx_kernel void @written(ptr noalias %p, ptr noalias readonly %pp, ptr noalias readonly %q) {
  %a = load float, ptr %p
  store float %a, ptr %p
  %inner = load volatile ptr, ptr %pp
  %b = load float, ptr %inner
  store float %b, ptr %p
  %c = load atomic i32, ptr %q monotonic, align 4
  store i32 %c, ptr %p
  ret void
}

define float @open(ptr noalias readonly %p) {
  %a = load float, ptr %p
  ret float %a
}

define internal float @closed(ptr %p) noinline {
  %a = load float, ptr %p
  ret float %a
}

define ptx_kernel void @caller(ptr noalias readonly %p, ptr noalias %r) {
  %a = call float @closed(ptr %p)
  %b = call float @closed(ptr %r)
  %s = fadd float %a, %b
  store float %s, ptr %r
  ret void
}

; an address that is made of the number, or stored, may be written through
define ptx_kernel void @through_number(ptr noalias %p, ptr noalias %q, ptr noalias %r, ptr %all) {
  %a = load float, ptr %p
  %number = ptrtoint ptr %p to i64
  %next = add i64 %number, 4
  %again = inttoptr i64 %next to ptr
  store float %a, ptr %again
  %b = load float, ptr %q
  %stored = ptrtoint ptr %q to i64
  store i64 %stored, ptr %all
  %c = load float, ptr %r
  store float %c, ptr %all
  store ptr %r, ptr %all
  ret void
}
