; Some constants leave nothing of the other operand.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(ptr %p) {
  %d = load volatile i32, ptr %p
  ; CHECK: %z.and = constant 0{{$}}
  %z.and = and i32 %d, 0
  ; CHECK: %z.mul = constant 0{{$}}
  %z.mul = mul i32 %d, 0
  ; CHECK: %ones = constant -1{{$}}
  %ones = or i32 %d, -1
  ; CHECK: %z.sub = constant 0{{$}}
  %z.sub = sub i32 %d, %d
  ; CHECK: %z.rem = constant 0{{$}}
  %z.rem = urem i32 %d, 1
  ; CHECK: %div.and = divergent{{$}}
  %div.and = and i32 %d, 1
  ret void
}
