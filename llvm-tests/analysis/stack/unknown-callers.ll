; Functions that may be called from where nobody looks: through a pointer, or from another module. Their callers' frames, and
; those above, may have any size.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %warpwise simt %s -k k -a "i64[32]:zero" --check | %FileCheck %s --check-prefix=HOLDS

; HOLDS: {{[0-9]+}} claims compared, 0 violated
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@table = internal constant [1 x ptr] [ptr @pointed]

; CHECK-LABEL: affine divergence for 'below'
; CHECK: %div.a = divergent{{$}}
define internal void @below() noinline {
  %div.a = alloca i32
  store volatile i32 1, ptr %div.a
  ret void
}

; CHECK-LABEL: affine divergence for 'pointed'
; CHECK: %div.a = divergent{{$}}
define internal void @pointed() noinline {
  %div.a = alloca i32
  store volatile i32 1, ptr %div.a
  call void @below()
  ret void
}

; CHECK-LABEL: affine divergence for 'exported'
; CHECK: %div.a = divergent{{$}}
define void @exported() noinline {
  %div.a = alloca i32
  store volatile i32 1, ptr %div.a
  ret void
}

define ptx_kernel void @k(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t1 = add i32 %t, 1
  %a = alloca i32, i32 %t1
  store volatile i32 1, ptr %a
  %f = load ptr, ptr @table
  call void %f()
  call void @exported()
  %q = getelementptr i64, ptr %p, i32 %t
  store i64 1, ptr %q
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
