; A product is stored, and a sum loads it again. LLVM's back end looks for what was stored past 100 instructions and no more: a few
; that become other instructions decide whether the two become a multiply-add. So nothing changes where there are about as many.
; RUN: %opt -passes=annotate-uniform -S %s | %FileCheck %s
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: @near(
; CHECK: load i32, ptr addrspace(1) %in, align 4, !invariant.load
define ptx_kernel void @near(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias readonly %in, float %a, i32 %x0, i32 %n) {
  %product = fmul contract float %a, %a
  store float %product, ptr addrspace(1) %out
  %w = load i32, ptr addrspace(1) %in, align 4
  %x1 = mul i32 %x0, %n
  %x2 = xor i32 %x1, %w
  %x3 = mul i32 %x2, %n
  %x4 = xor i32 %x3, %w
  %same = load float, ptr addrspace(1) %out
  %sum = fadd contract float %same, 1.0
  %sums = getelementptr float, ptr addrspace(1) %out, i32 1
  store float %sum, ptr addrspace(1) %sums
  %end = getelementptr i32, ptr addrspace(1) %out, i32 2
  store i32 %x4, ptr addrspace(1) %end
  ret void
}

; CHECK-LABEL: @far(
; CHECK: load i32, ptr addrspace(1) %in, align 4{{(, !warpwise.*)?}}{{$}}
define ptx_kernel void @far(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias readonly %in, float %a, i32 %x0, i32 %n) {
  %product = fmul contract float %a, %a
  store float %product, ptr addrspace(1) %out
  %w = load i32, ptr addrspace(1) %in, align 4
  %x1 = mul i32 %x0, %n
  %x2 = xor i32 %x1, %w
  %x3 = mul i32 %x2, %n
  %x4 = xor i32 %x3, %w
  %x5 = mul i32 %x4, %n
  %x6 = xor i32 %x5, %w
  %x7 = mul i32 %x6, %n
  %x8 = xor i32 %x7, %w
  %x9 = mul i32 %x8, %n
  %x10 = xor i32 %x9, %w
  %x11 = mul i32 %x10, %n
  %x12 = xor i32 %x11, %w
  %x13 = mul i32 %x12, %n
  %x14 = xor i32 %x13, %w
  %x15 = mul i32 %x14, %n
  %x16 = xor i32 %x15, %w
  %x17 = mul i32 %x16, %n
  %x18 = xor i32 %x17, %w
  %x19 = mul i32 %x18, %n
  %x20 = xor i32 %x19, %w
  %x21 = mul i32 %x20, %n
  %x22 = xor i32 %x21, %w
  %x23 = mul i32 %x22, %n
  %x24 = xor i32 %x23, %w
  %x25 = mul i32 %x24, %n
  %x26 = xor i32 %x25, %w
  %x27 = mul i32 %x26, %n
  %x28 = xor i32 %x27, %w
  %x29 = mul i32 %x28, %n
  %x30 = xor i32 %x29, %w
  %x31 = mul i32 %x30, %n
  %x32 = xor i32 %x31, %w
  %x33 = mul i32 %x32, %n
  %x34 = xor i32 %x33, %w
  %x35 = mul i32 %x34, %n
  %x36 = xor i32 %x35, %w
  %x37 = mul i32 %x36, %n
  %x38 = xor i32 %x37, %w
  %x39 = mul i32 %x38, %n
  %x40 = xor i32 %x39, %w
  %x41 = mul i32 %x40, %n
  %x42 = xor i32 %x41, %w
  %x43 = mul i32 %x42, %n
  %x44 = xor i32 %x43, %w
  %x45 = mul i32 %x44, %n
  %x46 = xor i32 %x45, %w
  %x47 = mul i32 %x46, %n
  %x48 = xor i32 %x47, %w
  %x49 = mul i32 %x48, %n
  %x50 = xor i32 %x49, %w
  %x51 = mul i32 %x50, %n
  %x52 = xor i32 %x51, %w
  %x53 = mul i32 %x52, %n
  %x54 = xor i32 %x53, %w
  %x55 = mul i32 %x54, %n
  %x56 = xor i32 %x55, %w
  %x57 = mul i32 %x56, %n
  %x58 = xor i32 %x57, %w
  %x59 = mul i32 %x58, %n
  %x60 = xor i32 %x59, %w
  %same = load float, ptr addrspace(1) %out
  %sum = fadd contract float %same, 1.0
  %sums = getelementptr float, ptr addrspace(1) %out, i32 1
  store float %sum, ptr addrspace(1) %sums
  %end = getelementptr i32, ptr addrspace(1) %out, i32 2
  store i32 %x60, ptr addrspace(1) %end
  ret void
}
