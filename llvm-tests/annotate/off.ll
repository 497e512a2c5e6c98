; RUN: %opt -passes=annotate-uniform -warpwise-block=256 -S %s | %FileCheck %s
; RUN: %opt -passes=warpwise -warpwise-block=256 -S %s | %FileCheck %s
; RUN: %opt -passes='warpwise<no-annotate;block=256>' -S %s | %FileCheck --check-prefix=NONE %s
; RUN: %opt -passes=warpwise -warpwise-block=256 -warpwise-annotate=0 -S %s | %FileCheck --check-prefix=NONE %s
; RUN: %not %opt -passes='warpwise<no-frob>' -disable-output %s 2>&1 | %FileCheck --check-prefix=FROB %s
; Where the pass keeps away: optnone, attributes, annotations of the source, switches.
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@text = private constant [21 x i8] c"warpwise.no-annotate\00", section "llvm.metadata"
@file = private constant [5 x i8] c"k.cu\00", section "llvm.metadata"
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @annotated, ptr @text, ptr @file, i32 1, ptr null }], section "llvm.metadata"

; FROB: error: warpwise: 'warpwise' has no parameter 'no-frob'
; NONE-NOT: warpwise.uniform
; CHECK-LABEL: @on(
; CHECK: ret void, !warpwise.uniform
; CHECK-LABEL: @nobody(
; CHECK: ret void{{$}}
; CHECK-LABEL: @attribute(
; CHECK: ret void{{$}}
; CHECK-LABEL: @everything(
; CHECK: ret void{{$}}
; CHECK-LABEL: @annotated(
; CHECK: ret void{{$}}
define ptx_kernel void @on() {
  ret void
}
define ptx_kernel void @nobody() noinline optnone {
  ret void
}
define ptx_kernel void @attribute() "warpwise-no-annotate" {
  ret void
}
define ptx_kernel void @everything() "warpwise-off" {
  ret void
}
define ptx_kernel void @annotated() {
  ret void
}
