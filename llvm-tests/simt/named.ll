; A version of a kernel has its name in the source: the name stands for the kernel. Of instantiations of a template, the
; symbols are listed.
; RUN: %warpwise simt %s --kernel k --grid 1 --block 32 --arg "i32[32]:zero" | %FileCheck %s
; RUN: not %warpwise simt %s --kernel t --grid 1 --block 32 2>&1 | %FileCheck %s --check-prefix=SEVERAL
; CHECK: 7, 7, 7
; SEVERAL: t is the name of 2 kernels, so say which by its symbol: _Z1tIiEvv, _Z1tIfEvv

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @_Z1kPi(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %to = getelementptr i32, ptr %out, i32 %t
  store i32 7, ptr %to
  ret void
}

define ptx_kernel void @"_Z1kPi$v1"(ptr %out) {
  ret void
}

define ptx_kernel void @_Z1tIiEvv() {
  ret void
}

define ptx_kernel void @_Z1tIfEvv() {
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
