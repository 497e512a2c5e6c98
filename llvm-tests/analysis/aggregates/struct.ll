; Members of an aggregate built in view keep their own classes; of any other they share one.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n, ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %a = uniform grid{{$}}
  %a = insertvalue { i32, i32 } poison, i32 %n, 0
  ; CHECK: %b = divergent{{$}}
  %b = insertvalue { i32, i32 } %a, i32 %t, 1
  ; CHECK: %uni.x = uniform grid{{$}}
  %uni.x = extractvalue { i32, i32 } %b, 0
  ; CHECK: %aff.y = affine 1*tid.x{{$}}
  %aff.y = extractvalue { i32, i32 } %b, 1
  ; CHECK: %l = uniform warp{{$}}
  %l = load { i32, i32 }, ptr %p
  ; CHECK: %uni.l = uniform warp{{$}}
  %uni.l = extractvalue { i32, i32 } %l, 1
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
