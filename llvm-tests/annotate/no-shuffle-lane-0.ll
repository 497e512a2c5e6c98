; RUN: %opt -passes=annotate-uniform -warpwise-block=256 -verify-each -S %s | %FileCheck %s
; Behind a guard, whether it returns on its own or where all others do, lane 0 may be gone, and the value (the number of the warp in the grid) is not made of thread indices
; alone: no shuffle. Nor in a device function, whose caller may have passed a guard.
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-NOT: shfl.sync
define ptx_kernel void @guarded(ptr noalias %p, ptr noalias readonly %q, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp slt i32 %t, %n
  br i1 %in, label %body, label %exit
exit:
  ret void
body:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %b256 = mul i32 %b, 256
  %i = add i32 %b256, %t
  %w = lshr i32 %i, 5
  %bound.at = getelementptr i32, ptr %q, i32 %w
  %bound = load i32, ptr %bound.at
  %address = getelementptr float, ptr %p, i32 %i
  %start = load float, ptr %address
  %some = icmp sgt i32 %bound, 0
  br i1 %some, label %loop, label %out
loop:
  %k = phi i32 [ 0, %body ], [ %k.next, %loop ]
  %v = phi float [ %start, %body ], [ %f8, %loop ]
  %f0 = fmul float %v, 3.0
  %f1 = fadd float %f0, 1.0
  %f2 = fmul float %f1, %f0
  %f3 = fadd float %f2, %f1
  %f4 = fmul float %f3, %f2
  %f5 = fadd float %f4, %f3
  %f6 = fmul float %f5, %f4
  %f7 = fadd float %f6, %f5
  %f8 = fmul float %f7, %f6
  %k.next = add i32 %k, 1
  %more = icmp slt i32 %k.next, %bound
  br i1 %more, label %loop, label %out
out:
  %r = phi float [ %start, %body ], [ %f8, %loop ]
  store float %r, ptr %address
  ret void
}

define ptx_kernel void @guarded_to_the_end(ptr noalias %p, ptr noalias readonly %q, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp slt i32 %t, %n
  br i1 %in, label %body, label %exit
body:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %b256 = mul i32 %b, 256
  %i = add i32 %b256, %t
  %w = lshr i32 %i, 5
  %bound.at = getelementptr i32, ptr %q, i32 %w
  %bound = load i32, ptr %bound.at
  %address = getelementptr float, ptr %p, i32 %i
  %start = load float, ptr %address
  %some = icmp sgt i32 %bound, 0
  br i1 %some, label %loop, label %out
loop:
  %k = phi i32 [ 0, %body ], [ %k.next, %loop ]
  %v = phi float [ %start, %body ], [ %f8, %loop ]
  %f0 = fmul float %v, 3.0
  %f1 = fadd float %f0, 1.0
  %f2 = fmul float %f1, %f0
  %f3 = fadd float %f2, %f1
  %f4 = fmul float %f3, %f2
  %f5 = fadd float %f4, %f3
  %f6 = fmul float %f5, %f4
  %f7 = fadd float %f6, %f5
  %f8 = fmul float %f7, %f6
  %k.next = add i32 %k, 1
  %more = icmp slt i32 %k.next, %bound
  br i1 %more, label %loop, label %out
out:
  %r = phi float [ %start, %body ], [ %f8, %loop ]
  store float %r, ptr %address
  br label %exit
exit:
  ret void
}

define internal void @device(ptr %p, i32 %bound) noinline {
entry:
  br label %body
body:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %address = getelementptr float, ptr %p, i32 %t
  %start = load float, ptr %address
  %some = icmp sgt i32 %bound, 0
  br i1 %some, label %loop, label %out
loop:
  %k = phi i32 [ 0, %body ], [ %k.next, %loop ]
  %v = phi float [ %start, %body ], [ %f8, %loop ]
  %f0 = fmul float %v, 3.0
  %f1 = fadd float %f0, 1.0
  %f2 = fmul float %f1, %f0
  %f3 = fadd float %f2, %f1
  %f4 = fmul float %f3, %f2
  %f5 = fadd float %f4, %f3
  %f6 = fmul float %f5, %f4
  %f7 = fadd float %f6, %f5
  %f8 = fmul float %f7, %f6
  %k.next = add i32 %k, 1
  %more = icmp slt i32 %k.next, %bound
  br i1 %more, label %loop, label %out
out:
  %r = phi float [ %start, %body ], [ %f8, %loop ]
  store float %r, ptr %address
  ret void
}

define ptx_kernel void @caller(ptr %p, i32 %n) {
  call void @device(ptr %p, i32 %n)
  ret void
}
