; A member of a member is not mistaken for a member.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = insertvalue { { i32, i32 }, i32 } poison, i32 %t, 0, 1
  %b = insertvalue { { i32, i32 }, i32 } %a, i32 %n, 0, 0
  ; CHECK: %div.t = divergent{{$}}
  %div.t = extractvalue { { i32, i32 }, i32 } %b, 0, 1
  %c = insertvalue { { i32, i32 }, i32 } %b, i32 7, 1
  ; CHECK: %seven = constant 7{{$}}
  %seven = extractvalue { { i32, i32 }, i32 } %c, 1
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
