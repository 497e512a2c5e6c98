; An object outside of the entry block is allocated anew in every iteration: it stands wherever those before it end, whatever
; its size.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %warpwise simt %s -k k -a "i64[32]:zero" --check | %FileCheck %s --check-prefix=HOLDS

; HOLDS: {{[0-9]+}} claims compared, 0 violated
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %l
l:
  %i = phi i32 [ 0, %0 ], [ %j, %l ]
  ; CHECK: %div.a = divergent{{$}}
  %div.a = alloca [16 x i32]
  store volatile i32 1, ptr %div.a
  %j = add i32 %i, 1
  %c = icmp ult i32 %i, %t
  br i1 %c, label %l, label %e
e:
  ; CHECK: %div.b = divergent{{$}}
  %div.b = alloca i32
  store volatile i32 1, ptr %div.b
  %bi = ptrtoint ptr %div.b to i64
  %q = getelementptr i64, ptr %p, i32 %t
  store i64 %bi, ptr %q
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
