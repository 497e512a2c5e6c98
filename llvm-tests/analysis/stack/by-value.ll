; A function's copy of an argument lies in its own frame, whatever pointer the caller passed.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %warpwise simt %s -k k -a "i32[512]:zero" --check | %FileCheck %s --check-prefix=HOLDS

; HOLDS: {{[0-9]+}} claims compared, 0 violated
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'f'
define internal i32 @f(ptr byval([4 x i32]) align 4 %p) noinline {
  ; CHECK: %uni.i = uniform warp{{$}}
  %uni.i = ptrtoint ptr %p to i64
  %v = load i32, ptr %p
  ret i32 %v
}

; CHECK-LABEL: affine divergence for 'g'
define internal i32 @g(ptr byval([4 x i32]) align 4 %p) noinline {
  ; CHECK: %div.i = divergent{{$}}
  %div.i = ptrtoint ptr %p to i64
  %v = load i32, ptr %p
  ret i32 %v
}

define internal i32 @apart(ptr %p, i32 %t) noinline {
  %t1 = add i32 %t, 1
  %a = alloca i32, i32 %t1
  store i32 1, ptr %a
  %x = call i32 @g(ptr byval([4 x i32]) align 4 %p)
  ret i32 %x
}

define ptx_kernel void @k(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr [4 x i32], ptr %p, i32 %t
  %x = call i32 @f(ptr byval([4 x i32]) align 4 %q)
  %y = call i32 @apart(ptr %q, i32 %t)
  %z = add i32 %x, %y
  store i32 %z, ptr %q
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
