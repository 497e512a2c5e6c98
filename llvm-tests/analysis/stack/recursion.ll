; Recursion carries the caller's lane-dependent size down; with a caller that holds still, lanes agree at every depth.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %warpwise simt %s -k k -a "i64[32]:zero" -a i32:3 --check | %FileCheck %s --check-prefix=HOLDS
; RUN: %warpwise simt %s -k still -a "i64[32]:zero" -a i32:3 --check | %FileCheck %s --check-prefix=HOLDS

; HOLDS: {{[0-9]+}} claims compared, 0 violated
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'f'
define internal i64 @f(i32 %d) noinline {
  ; CHECK: %div.a = divergent{{$}}
  %div.a = alloca [8 x i32]
  store volatile i32 1, ptr %div.a
  %i = ptrtoint ptr %div.a to i64
  %c = icmp eq i32 %d, 0
  br i1 %c, label %e, label %r
r:
  %d1 = sub i32 %d, 1
  %v = call i64 @f(i32 %d1)
  %w = xor i64 %v, %i
  ret i64 %w
e:
  ret i64 %i
}

; CHECK-LABEL: affine divergence for 'g'
define internal i64 @g(i32 %d) noinline {
  ; CHECK: %uni.a = uniform warp{{$}}
  %uni.a = alloca [8 x i32]
  store volatile i32 1, ptr %uni.a
  %i = ptrtoint ptr %uni.a to i64
  %c = icmp eq i32 %d, 0
  br i1 %c, label %e, label %r
r:
  %d1 = sub i32 %d, 1
  %v = call i64 @g(i32 %d1)
  %w = xor i64 %v, %i
  ret i64 %w
e:
  ret i64 %i
}

define ptx_kernel void @k(ptr %p, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t1 = add i32 %t, 1
  %a = alloca i32, i32 %t1
  store i32 1, ptr %a
  %x = call i64 @f(i32 %n)
  %q = getelementptr i64, ptr %p, i32 %t
  store i64 %x, ptr %q
  ret void
}

define ptx_kernel void @still(ptr %p, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = alloca i32
  store i32 1, ptr %a
  %x = call i64 @g(i32 %n)
  %q = getelementptr i64, ptr %p, i32 %t
  store i64 %x, ptr %q
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
