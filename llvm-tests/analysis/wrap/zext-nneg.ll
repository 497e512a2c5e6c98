; A value that is not negative extends the same either way, so `nsw` and `nneg` together prove a zext. So does `nneg` alone,
; if lanes lie closer together than half of all numbers: no two of them are on different sides of a wrap then.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = add nsw i32 %t, %n
  ; CHECK: %aff.z = affine 1*tid.x + uniform grid{{$}}
  %aff.z = zext nneg i32 %a to i64
  %b = add i32 %t, %n
  ; CHECK: %alone = affine 1*tid.x + uniform grid{{$}}
  %alone = zext nneg i32 %b to i64
  %far = mul i32 %b, 4194304
  ; CHECK: %apart = divergent{{$}}
  %apart = zext nneg i32 %far to i64
  ; CHECK: %neither = divergent{{$}}
  %neither = zext i32 %b to i64
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
