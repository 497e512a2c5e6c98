; RUN: %opt -passes='print<affine-divergence>,warpwise<fuse;map>,verify' -S %s 2>/dev/null | %FileCheck %s
; RUN: %opt -passes='steer-spills<regs=24>,verify' -S %s 2>&1 | %FileCheck %s
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck --check-prefix=REPORT %s
; Front ends for NVPTX write no scalable vectors, but IR may hold them: their size is no number, so nothing is said of
; them and they stay where they are.
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: @vector
; CHECK: alloca <vscale x 4 x i32>
; REPORT: vector
define ptx_kernel void @vector(ptr %p, i32 %n) {
  %a = alloca <vscale x 4 x i32>
  store <vscale x 4 x i32> zeroinitializer, ptr %a
  %x = load <vscale x 4 x i32>, ptr %a
  store <vscale x 4 x i32> %x, ptr %p
  ret void
}

; CHECK-LABEL: @aggregate
; CHECK: alloca { <vscale x 2 x i64>, <vscale x 2 x i64> }
; CHECK: alloca [3 x <vscale x 4 x i32>]
define ptx_kernel void @aggregate(ptr %p, i64 %n) {
  %a = alloca { <vscale x 2 x i64>, <vscale x 2 x i64> }
  %b = alloca [3 x <vscale x 4 x i32>]
  %pair = load { <vscale x 2 x i64>, <vscale x 2 x i64> }, ptr %a
  %x = extractvalue { <vscale x 2 x i64>, <vscale x 2 x i64> } %pair, 1
  %row = getelementptr [3 x <vscale x 4 x i32>], ptr %b, i64 0, i64 %n
  %y = load <vscale x 4 x i32>, ptr %row
  store <vscale x 2 x i64> %x, ptr %p
  store <vscale x 4 x i32> %y, ptr %p
  ret void
}
