; Every thread has a stack object at the same address with contents of its own.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k() {
  ; CHECK: %x = uniform grid{{$}}
  %x = alloca i32
  store i32 1, ptr %x
  ; CHECK: %div.v = divergent{{$}}
  %div.v = load i32, ptr %x
  ; CHECK: %l = uniform grid{{$}}
  %l = addrspacecast ptr %x to ptr addrspace(5)
  ; CHECK: %div.l = divergent{{$}}
  %div.l = load i32, ptr addrspace(5) %l
  ret void
}
