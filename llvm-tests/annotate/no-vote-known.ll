; RUN: %opt -passes=annotate-uniform -warpwise-block=256 -S %s | %FileCheck %s
; What ptxas knows by itself is not voted on: arguments, block indices, loads from uniform addresses, results of votes,
; and, with a block of one dimension that the kernel itself requires, the number of the warp.
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-NOT: vote.any.sync(i32 -1
; CHECK-NOT: shfl.sync

define ptx_kernel void @argument(ptr %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %address = getelementptr float, ptr %p, i32 %t
  %v = load float, ptr %address
  %c = icmp eq i32 %n, 3
  br i1 %c, label %side, label %join
side:
  %f0 = fmul float %v, 3.0
  %f1 = fadd float %f0, 1.0
  %f2 = fmul float %f1, %f0
  %f3 = fadd float %f2, %f1
  %f4 = fmul float %f3, %f2
  %f5 = fadd float %f4, %f3
  %f6 = fmul float %f5, %f4
  %f7 = fadd float %f6, %f5
  %f8 = fmul float %f7, %f6
  br label %join
join:
  %r = phi float [ %v, %entry ], [ %f8, %side ]
  store float %r, ptr %address
  ret void
}

define ptx_kernel void @ctaid(ptr %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %address = getelementptr float, ptr %p, i32 %t
  %v = load float, ptr %address
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %c = icmp eq i32 %b, %n
  br i1 %c, label %side, label %join
side:
  %f0 = fmul float %v, 3.0
  %f1 = fadd float %f0, 1.0
  %f2 = fmul float %f1, %f0
  %f3 = fadd float %f2, %f1
  %f4 = fmul float %f3, %f2
  %f5 = fadd float %f4, %f3
  %f6 = fmul float %f5, %f4
  %f7 = fadd float %f6, %f5
  %f8 = fmul float %f7, %f6
  br label %join
join:
  %r = phi float [ %v, %entry ], [ %f8, %side ]
  store float %r, ptr %address
  ret void
}

define ptx_kernel void @load(ptr %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %address = getelementptr float, ptr %p, i32 %t
  %v = load float, ptr %address
  %b = load i32, ptr %p
  %c = icmp eq i32 %b, %n
  br i1 %c, label %side, label %join
side:
  %f0 = fmul float %v, 3.0
  %f1 = fadd float %f0, 1.0
  %f2 = fmul float %f1, %f0
  %f3 = fadd float %f2, %f1
  %f4 = fmul float %f3, %f2
  %f5 = fadd float %f4, %f3
  %f6 = fmul float %f5, %f4
  %f7 = fadd float %f6, %f5
  %f8 = fmul float %f7, %f6
  br label %join
join:
  %r = phi float [ %v, %entry ], [ %f8, %side ]
  store float %r, ptr %address
  ret void
}

define ptx_kernel void @required(ptr %p, i32 %n) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %address = getelementptr float, ptr %p, i32 %t
  %v = load float, ptr %address
  %w = lshr i32 %t, 5
  %c = icmp eq i32 %w, %n
  br i1 %c, label %side, label %join
side:
  %f0 = fmul float %v, 3.0
  %f1 = fadd float %f0, 1.0
  %f2 = fmul float %f1, %f0
  %f3 = fadd float %f2, %f1
  %f4 = fmul float %f3, %f2
  %f5 = fadd float %f4, %f3
  %f6 = fmul float %f5, %f4
  %f7 = fadd float %f6, %f5
  %f8 = fmul float %f7, %f6
  br label %join
join:
  %r = phi float [ %v, %entry ], [ %f8, %side ]
  store float %r, ptr %address
  ret void
}

define ptx_kernel void @required_compare(ptr %p, i32 %n) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %address = getelementptr float, ptr %p, i32 %t
  %v = load float, ptr %address
  %c = icmp ult i32 %t, 64
  br i1 %c, label %side, label %join
side:
  %f0 = fmul float %v, 3.0
  %f1 = fadd float %f0, 1.0
  %f2 = fmul float %f1, %f0
  %f3 = fadd float %f2, %f1
  %f4 = fmul float %f3, %f2
  %f5 = fadd float %f4, %f3
  %f6 = fmul float %f5, %f4
  %f7 = fadd float %f6, %f5
  %f8 = fmul float %f7, %f6
  br label %join
join:
  %r = phi float [ %v, %entry ], [ %f8, %side ]
  store float %r, ptr %address
  ret void
}

define ptx_kernel void @required_mask(ptr %p, i32 %n) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %address = getelementptr float, ptr %p, i32 %t
  %v = load float, ptr %address
  %w = and i32 %t, 224
  %c = icmp ult i32 %w, %n
  br i1 %c, label %side, label %join
side:
  %f0 = fmul float %v, 3.0
  %f1 = fadd float %f0, 1.0
  %f2 = fmul float %f1, %f0
  %f3 = fadd float %f2, %f1
  %f4 = fmul float %f3, %f2
  %f5 = fadd float %f4, %f3
  %f6 = fmul float %f5, %f4
  %f7 = fadd float %f6, %f5
  %f8 = fmul float %f7, %f6
  br label %join
join:
  %r = phi float [ %v, %entry ], [ %f8, %side ]
  store float %r, ptr %address
  ret void
}

attributes #0 = { "nvvm.reqntid"="256" }
