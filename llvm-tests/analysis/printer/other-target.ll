; Code for another target is left alone, and the printer says so.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -passes='function(print<affine-divergence>)' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -passes='require<affine-divergence>,warpwise-remarks' -pass-remarks-analysis=warpwise -disable-output %s 2>&1 | %FileCheck %s --check-prefix=SILENT --allow-empty

; CHECK: affine divergence for 'f': not analysed, the target is not NVPTX
; SILENT-NOT: {{.}}

target triple = "x86_64-unknown-linux-gnu"

define i32 @f(i32 %n) {
  %c = icmp eq i32 %n, 0
  br i1 %c, label %a, label %b
a:
  ret i32 1
b:
  ret i32 2
}
