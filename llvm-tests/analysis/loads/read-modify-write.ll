; The old value of an atomic differs from lane to lane, even at one address.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(ptr %p) {
  ; CHECK: %div.r = divergent{{$}}
  %div.r = atomicrmw add ptr %p, i32 1 monotonic
  ; CHECK: %div.x = divergent{{$}}
  %div.x = cmpxchg ptr %p, i32 0, i32 1 monotonic monotonic
  ; CHECK: %div.ok = divergent{{$}}
  %div.ok = extractvalue { i32, i1 } %div.x, 1
  ret void
}
