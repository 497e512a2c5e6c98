; Products and sums are joined as LLVM's back end and ptxas do, if asked: then the last bits tell which product a sum took. It
; takes the first that nothing else uses, wherever that is; else, of two of its block, the one with fewer uses.
; DEFINE: %{launch} = --block 32 -a f32[64]:random:1
; RUN: sed 's/%one, %other/%other, %one/' %s > %t.swapped.ll
; RUN: %warpwise simt --compare %s %t.swapped.ll -k first %{launch}
; RUN: %not %warpwise simt --contract --compare %s %t.swapped.ll -k first %{launch} 2>&1 | %FileCheck %s
; RUN: %warpwise simt --contract --compare %s %t.swapped.ll -k fewer %{launch}
; RUN: %not %warpwise simt --contract --compare %s %t.swapped.ll -k far_first %{launch} 2>&1 | %FileCheck %s
; RUN: sed 's/%far = fmul contract/%far = fmul/' %s > %t.rounded.ll
; RUN: %not %warpwise simt --contract --compare %s %t.rounded.ll -k elsewhere %{launch} 2>&1 | %FileCheck %s
; CHECK: argument 0 differs
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define ptx_kernel void @first(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr [2 x float], ptr %p, i32 %t
  %next = getelementptr float, ptr %at, i32 1
  %x = load float, ptr %at
  %y = load float, ptr %next
  %one = fmul contract float %x, %x
  %other = fmul contract float %y, %y
  %sum = fadd contract float %one, %other
  store float %sum, ptr %at
  ret void
}

define ptx_kernel void @fewer(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr [2 x float], ptr %p, i32 %t
  %next = getelementptr float, ptr %at, i32 1
  %x = load float, ptr %at
  %y = load float, ptr %next
  %one = fmul contract float %x, %x
  %other = fmul contract float %y, %y
  %sum = fadd contract float %one, %other
  store float %sum, ptr %at
  store float %other, ptr %next
  ret void
}

define ptx_kernel void @far_first(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr [2 x float], ptr %p, i32 %t
  %next = getelementptr float, ptr %at, i32 1
  %x = load float, ptr %at
  %y = load float, ptr %next
  %odd = trunc i32 %t to i1
  %one = fmul contract float %x, %x
  br i1 %odd, label %add, label %end
add:
  %other = fmul contract float %y, %y
  %sum = fadd contract float %one, %other
  store float %sum, ptr %at
  br label %end
end:
  ret void
}

define ptx_kernel void @elsewhere(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr [2 x float], ptr %p, i32 %t
  %x = load float, ptr %at
  %odd = trunc i32 %t to i1
  %far = fmul contract float %x, %x
  br i1 %odd, label %add, label %end
add:
  %negative = fneg float %far
  %sum = fadd contract float %negative, 0x3FF19999A0000000
  store float %sum, ptr %at
  br label %end
end:
  ret void
}
