; More than one kernel and none named: they are listed.
; RUN: %not %warpwise simt %s 2>&1 | %FileCheck %s

; CHECK: has several kernels, so name one: first, second

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @first() {
  ret void
}

define ptx_kernel void @second() {
  ret void
}
