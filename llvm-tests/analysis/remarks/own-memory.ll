; The chain starts at memory of which each thread has its own.
;
; RUN: %opt -passes=warpwise-remarks -pass-remarks-analysis=warpwise -disable-output %s 2>&1 | %FileCheck %s

; CHECK: branch diverges: `x == 0` depends on `x`, loaded from memory that may be each thread's own

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(i32 %n, ptr %p) {
entry:
  %x = alloca i32
  store i32 %n, ptr %x
  %v = load i32, ptr %x
  %c = icmp eq i32 %v, 0
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  ret void
}
