; The chain starts at an atomic.
;
; RUN: %opt -passes=warpwise-remarks -pass-remarks-analysis=warpwise -disable-output %s 2>&1 | %FileCheck %s

; CHECK: branch diverges: `(atomic on *counter) * 3 == n` depends on the old value of an atomic
; CHECK: every lane updates the same address

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %counter, i32 %n) {
entry:
  %ticket = atomicrmw add ptr %counter, i32 1 monotonic
  %i = mul i32 %ticket, 3
  %last = icmp eq i32 %i, %n
  br i1 %last, label %a, label %b
a:
  br label %b
b:
  ret void
}
