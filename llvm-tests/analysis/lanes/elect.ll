; One lane is told that it was elected.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k() {
  ; CHECK: %e = divergent{{$}}
  %e = call {i32, i1} @llvm.nvvm.elect.sync(i32 -1)
  ; CHECK: %div.me = divergent{{$}}
  %div.me = extractvalue {i32, i1} %e, 1
  ret void
}

declare {i32, i1} @llvm.nvvm.elect.sync(i32)
