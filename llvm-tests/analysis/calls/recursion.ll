; A recursive function claims nothing about its result.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'f'
define internal i32 @f(i32 %x) {
  %y = call i32 @f(i32 %x)
  ret i32 %y
}
; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
  ; CHECK: %div.f = divergent{{$}}
  %div.f = call i32 @f(i32 %n)
  ret void
}

; What a member of a cycle of calls returns does not depend on which member is asked first: `pong` is met inside `ping`, where
; nothing can be said of its call of `ping`.
define internal i32 @ping(i32 %n) noinline {
  %r = add i32 %n, 1
  %ignored = call i32 @pong(i32 %n)
  ret i32 %r
}

define internal i32 @pong(i32 %n) noinline {
  %p = call i32 @ping(i32 %n)
  %r = mul i32 %p, 3
  ret i32 %r
}

; CHECK-LABEL: affine divergence for 'ping_first'
define ptx_kernel void @ping_first(ptr %out, i32 %n) {
  ; CHECK: %uni.ping = uniform grid
  %uni.ping = call i32 @ping(i32 %n)
  ; CHECK: %uni.pong = uniform grid
  %uni.pong = call i32 @pong(i32 %n)
  store i32 %uni.ping, ptr %out
  store i32 %uni.pong, ptr %out
  ret void
}
