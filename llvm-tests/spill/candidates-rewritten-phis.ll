; Two phis of an outer loop as victims: the warp is waited for before either slot is rewritten.
; RUN: %opt -passes='steer-spills<regs=6>' -verify-each -S %s -o %t.ll
; RUN: %FileCheck %s < %t.ll
; RUN: %warpwise simt --compare %s %t.ll --block 64 --race shared -a 'i32[64]:zero' -a i32:3 -a i32:5

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @kernel(ptr noalias %out, i32 %n, i32 %seed) #0 {
; CHECK:       outer:
; CHECK-NOT:   store volatile
; CHECK:       call void @llvm.nvvm.bar.warp.sync(i32 -1)
; CHECK-NOT:   call void @llvm.nvvm.bar.warp.sync
; CHECK:       store volatile i32
; CHECK-NOT:   call void @llvm.nvvm.bar.warp.sync
; CHECK:       store volatile i32
; CHECK:       call void @llvm.nvvm.bar.warp.sync(i32 -1)
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %ctaid = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = udiv i32 %seed, 3
  br label %outer
outer:
  %o = phi i32 [ 0, %entry ], [ %o.next, %latch ]
  %a = phi i32 [ %first, %entry ], [ %a.next, %latch ]
  %b = phi i32 [ %ctaid, %entry ], [ %b.next, %latch ]
  %s0 = phi i32 [ %tid, %entry ], [ %s3, %latch ]
  %t0 = phi i32 [ %tid, %entry ], [ %t3, %latch ]
  br label %inner
inner:
  %i = phi i32 [ 0, %outer ], [ %i.next, %inner ]
  %s1 = phi i32 [ %s0, %outer ], [ %s3, %inner ]
  %t1 = phi i32 [ %t0, %outer ], [ %t3, %inner ]
  %s2 = mul i32 %s1, %a
  %t2 = mul i32 %t1, %b
  %s3 = xor i32 %s2, %t1
  %t3 = xor i32 %t2, %s1
  %i.next = add i32 %i, 1
  %i.more = icmp slt i32 %i.next, %n
  br i1 %i.more, label %inner, label %latch
latch:
  %a.next = mul i32 %a, 5
  %b.next = mul i32 %b, 7
  %o.next = add i32 %o, 1
  %o.more = icmp slt i32 %o.next, %n
  br i1 %o.more, label %outer, label %end
end:
  %sum = add i32 %s3, %t3
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %sum, ptr %to, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="64" }
