; A parameter that a pass would ignore is an error that names what it takes.
;
; RUN: %not %opt -passes='print<affine-divergence<regs=32>>' -disable-output %s 2>&1 | %FileCheck %s

; CHECK: 'affine-divergence' has no parameter 'regs'; it takes block=X[xYxZ]{{$}}

define void @f() {
  ret void
}
