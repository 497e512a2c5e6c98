; A condition on data: lanes often agree, and then the selects and the other side's instructions are for nothing.
; RUN: %opt -passes='fuse-branches' -verify-each -pass-remarks=warpwise -pass-remarks-missed=warpwise -disable-output %s 2>&1 | %FileCheck %s

; CHECK: divergent branch not fused: it is assumed to split 45 % of the warps, too few for what the others would lose; -warpwise-profile-generate and -warpwise-profile-use=FILE would tell: 1 of 4+1

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %in, ptr %out, i32 %x, i32 %y, i64 %w) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %in, i32 %t
  %q = getelementptr i32, ptr %out, i32 %t
  %d = load i32, ptr %p, align 4
  %c = icmp slt i32 %d, 0
  br i1 %c, label %yes, label %no

yes:
  %a = sdiv i32 %x, %t
  %m = mul i64 %w, 77
  %n = mul i64 %m, %w
  %o = mul i64 %n, %w
  br label %join

no:
  %b = sdiv i32 %y, %t
  br label %join

join:
  %r = phi i32 [ %a, %yes ], [ %b, %no ]
  %s = phi i64 [ %o, %yes ], [ 1, %no ]
  store i32 %r, ptr %q, align 4
  store i64 %s, ptr %in, align 8
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
