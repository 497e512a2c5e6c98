; Both sides at once would need more registers than there are.
; RUN: %opt -passes='fuse-branches<regs=8>' -verify-each -pass-remarks=warpwise -pass-remarks-missed=warpwise -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %in, ptr %out, i32 %x, i32 %y, i32 %z) {
; CHECK: divergent branch not fused: it would need more than the 8 registers there are: {{.*}} registers 6 before, 12 after
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 0
  %t0 = add i32 %t, 0
  %t1 = add i32 %t, 33
  %t2 = add i32 %t, 66
  %t3 = add i32 %t, 99
  %t4 = add i32 %t, 132
  %t5 = add i32 %t, 165
  %t6 = add i32 %t, 198
  %t7 = add i32 %t, 231
  %t8 = add i32 %t, 264
  %t9 = add i32 %t, 297
  %t10 = add i32 %t, 330
  %t11 = add i32 %t, 363
  %p0 = getelementptr i32, ptr %in, i32 %t0
  %v0 = load i32, ptr %p0, align 4
  %p1 = getelementptr i32, ptr %in, i32 %t1
  %v1 = load i32, ptr %p1, align 4
  %p2 = getelementptr i32, ptr %in, i32 %t2
  %v2 = load i32, ptr %p2, align 4
  %p3 = getelementptr i32, ptr %in, i32 %t3
  %v3 = load i32, ptr %p3, align 4
  %p4 = getelementptr i32, ptr %in, i32 %t4
  %v4 = load i32, ptr %p4, align 4
  %p5 = getelementptr i32, ptr %in, i32 %t5
  %v5 = load i32, ptr %p5, align 4
  %p6 = getelementptr i32, ptr %in, i32 %t6
  %v6 = load i32, ptr %p6, align 4
  %p7 = getelementptr i32, ptr %in, i32 %t7
  %v7 = load i32, ptr %p7, align 4
  %p8 = getelementptr i32, ptr %in, i32 %t8
  %v8 = load i32, ptr %p8, align 4
  %p9 = getelementptr i32, ptr %in, i32 %t9
  %v9 = load i32, ptr %p9, align 4
  %p10 = getelementptr i32, ptr %in, i32 %t10
  %v10 = load i32, ptr %p10, align 4
  %p11 = getelementptr i32, ptr %in, i32 %t11
  %v11 = load i32, ptr %p11, align 4
  br i1 %c, label %yes, label %no

yes:
  %a0 = sdiv i32 %v0, %x
  %a1 = sdiv i32 %v1, %x
  %a2 = sdiv i32 %v2, %x
  %a3 = sdiv i32 %v3, %x
  %a4 = sdiv i32 %v4, %x
  %a5 = sdiv i32 %v5, %x
  %as1 = mul i32 %a0, %a1
  %as2 = mul i32 %as1, %a2
  %as3 = mul i32 %as2, %a3
  %as4 = mul i32 %as3, %a4
  %as5 = mul i32 %as4, %a5
  br label %join

no:
  %b0 = sdiv i32 %v6, %x
  %b1 = sdiv i32 %v7, %x
  %b2 = sdiv i32 %v8, %x
  %b3 = sdiv i32 %v9, %x
  %b4 = sdiv i32 %v10, %x
  %b5 = sdiv i32 %v11, %x
  %bs1 = mul i32 %b0, %b1
  %bs2 = mul i32 %bs1, %b2
  %bs3 = mul i32 %bs2, %b3
  %bs4 = mul i32 %bs3, %b4
  %bs5 = mul i32 %bs4, %b5
  br label %join

join:
  %r = phi i32 [ %as5, %yes ], [ %bs5, %no ]
  store i32 %r, ptr %out, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
