; Conditions stay where they are if the registers for them suffice (six, and the test of the loop), if the loop uses so many of
; them that its need stays, if any other code of the function decides what the loop's products are joined with, or if they
; compare pointers.
; RUN: %opt -passes=steer-spills -verify-each -pass-remarks=warpwise -S %s 2>%t | %FileCheck %s --implicit-check-not=asm
; RUN: %FileCheck %s --check-prefix=REMARK --allow-empty < %t

; REMARK-NOT: conditions are live in a loop
; CHECK-LABEL: @six(
; CHECK-LABEL: @used(
; CHECK-LABEL: @carried(
; CHECK-LABEL: @pointers(
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @six(ptr noalias %in, ptr noalias %out, i32 %n, i32 %count) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c0 = icmp slt i32 %tid, %n
  br i1 %c0, label %load0, label %next0
load0:
  %p0 = getelementptr i32, ptr %in, i32 %tid
  %l0 = load i32, ptr %p0, align 4
  br label %next0
next0:
  %v0 = phi i32 [ %l0, %load0 ], [ 0, %entry ]
  %i1 = add i32 %tid, 32
  %c1 = icmp slt i32 %i1, %n
  br i1 %c1, label %load1, label %next1
load1:
  %p1 = getelementptr i32, ptr %in, i32 %i1
  %l1 = load i32, ptr %p1, align 4
  br label %next1
next1:
  %v1 = phi i32 [ %l1, %load1 ], [ 0, %next0 ]
  %i2 = add i32 %tid, 64
  %c2 = icmp slt i32 %i2, %n
  br i1 %c2, label %load2, label %next2
load2:
  %p2 = getelementptr i32, ptr %in, i32 %i2
  %l2 = load i32, ptr %p2, align 4
  br label %next2
next2:
  %v2 = phi i32 [ %l2, %load2 ], [ 0, %next1 ]
  %i3 = add i32 %tid, 96
  %c3 = icmp slt i32 %i3, %n
  br i1 %c3, label %load3, label %next3
load3:
  %p3 = getelementptr i32, ptr %in, i32 %i3
  %l3 = load i32, ptr %p3, align 4
  br label %next3
next3:
  %v3 = phi i32 [ %l3, %load3 ], [ 0, %next2 ]
  %i4 = add i32 %tid, 128
  %c4 = icmp slt i32 %i4, %n
  br i1 %c4, label %load4, label %next4
load4:
  %p4 = getelementptr i32, ptr %in, i32 %i4
  %l4 = load i32, ptr %p4, align 4
  br label %next4
next4:
  %v4 = phi i32 [ %l4, %load4 ], [ 0, %next3 ]
  %i5 = add i32 %tid, 160
  %c5 = icmp slt i32 %i5, %n
  br i1 %c5, label %load5, label %next5
load5:
  %p5 = getelementptr i32, ptr %in, i32 %i5
  %l5 = load i32, ptr %p5, align 4
  br label %next5
next5:
  %v5 = phi i32 [ %l5, %load5 ], [ 0, %next4 ]
  br label %loop
loop:
  %t = phi i32 [ 0, %next5 ], [ %t.next, %loop ]
  %s0 = phi i32 [ %v0, %next5 ], [ %s0.next, %loop ]
  %s1 = phi i32 [ %v1, %next5 ], [ %s1.next, %loop ]
  %s2 = phi i32 [ %v2, %next5 ], [ %s2.next, %loop ]
  %s3 = phi i32 [ %v3, %next5 ], [ %s3.next, %loop ]
  %s4 = phi i32 [ %v4, %next5 ], [ %s4.next, %loop ]
  %s5 = phi i32 [ %v5, %next5 ], [ %s5.next, %loop ]
  %s0.next = mul i32 %s0, 3
  %s1.next = mul i32 %s1, 5
  %s2.next = mul i32 %s2, 7
  %s3.next = mul i32 %s3, 9
  %s4.next = mul i32 %s4, 11
  %s5.next = mul i32 %s5, 13
  %t.next = add i32 %t, 1
  %again = icmp slt i32 %t.next, %count
  br i1 %again, label %loop, label %end0
end0:
  br i1 %c0, label %store0, label %end1
store0:
  %q0 = getelementptr i32, ptr %out, i32 %tid
  store i32 %s0.next, ptr %q0, align 4
  br label %end1
end1:
  br i1 %c1, label %store1, label %end2
store1:
  %q1 = getelementptr i32, ptr %out, i32 %i1
  store i32 %s1.next, ptr %q1, align 4
  br label %end2
end2:
  br i1 %c2, label %store2, label %end3
store2:
  %q2 = getelementptr i32, ptr %out, i32 %i2
  store i32 %s2.next, ptr %q2, align 4
  br label %end3
end3:
  br i1 %c3, label %store3, label %end4
store3:
  %q3 = getelementptr i32, ptr %out, i32 %i3
  store i32 %s3.next, ptr %q3, align 4
  br label %end4
end4:
  br i1 %c4, label %store4, label %end5
store4:
  %q4 = getelementptr i32, ptr %out, i32 %i4
  store i32 %s4.next, ptr %q4, align 4
  br label %end5
end5:
  br i1 %c5, label %store5, label %end6
store5:
  %q5 = getelementptr i32, ptr %out, i32 %i5
  store i32 %s5.next, ptr %q5, align 4
  br label %end6
end6:
  ret void
}

define ptx_kernel void @used(ptr noalias %in, ptr noalias %out, i32 %n, i32 %count) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c0 = icmp slt i32 %tid, %n
  br i1 %c0, label %load0, label %next0
load0:
  %p0 = getelementptr i32, ptr %in, i32 %tid
  %l0 = load i32, ptr %p0, align 4
  br label %next0
next0:
  %v0 = phi i32 [ %l0, %load0 ], [ 0, %entry ]
  %i1 = add i32 %tid, 32
  %c1 = icmp slt i32 %i1, %n
  br i1 %c1, label %load1, label %next1
load1:
  %p1 = getelementptr i32, ptr %in, i32 %i1
  %l1 = load i32, ptr %p1, align 4
  br label %next1
next1:
  %v1 = phi i32 [ %l1, %load1 ], [ 0, %next0 ]
  %i2 = add i32 %tid, 64
  %c2 = icmp slt i32 %i2, %n
  br i1 %c2, label %load2, label %next2
load2:
  %p2 = getelementptr i32, ptr %in, i32 %i2
  %l2 = load i32, ptr %p2, align 4
  br label %next2
next2:
  %v2 = phi i32 [ %l2, %load2 ], [ 0, %next1 ]
  %i3 = add i32 %tid, 96
  %c3 = icmp slt i32 %i3, %n
  br i1 %c3, label %load3, label %next3
load3:
  %p3 = getelementptr i32, ptr %in, i32 %i3
  %l3 = load i32, ptr %p3, align 4
  br label %next3
next3:
  %v3 = phi i32 [ %l3, %load3 ], [ 0, %next2 ]
  %i4 = add i32 %tid, 128
  %c4 = icmp slt i32 %i4, %n
  br i1 %c4, label %load4, label %next4
load4:
  %p4 = getelementptr i32, ptr %in, i32 %i4
  %l4 = load i32, ptr %p4, align 4
  br label %next4
next4:
  %v4 = phi i32 [ %l4, %load4 ], [ 0, %next3 ]
  %i5 = add i32 %tid, 160
  %c5 = icmp slt i32 %i5, %n
  br i1 %c5, label %load5, label %next5
load5:
  %p5 = getelementptr i32, ptr %in, i32 %i5
  %l5 = load i32, ptr %p5, align 4
  br label %next5
next5:
  %v5 = phi i32 [ %l5, %load5 ], [ 0, %next4 ]
  %i6 = add i32 %tid, 192
  %c6 = icmp slt i32 %i6, %n
  br i1 %c6, label %load6, label %next6
load6:
  %p6 = getelementptr i32, ptr %in, i32 %i6
  %l6 = load i32, ptr %p6, align 4
  br label %next6
next6:
  %v6 = phi i32 [ %l6, %load6 ], [ 0, %next5 ]
  br label %loop
loop:
  %t = phi i32 [ 0, %next6 ], [ %t.next, %loop ]
  %s0 = phi i32 [ %v0, %next6 ], [ %s0.next, %loop ]
  %s1 = phi i32 [ %v1, %next6 ], [ %s1.next, %loop ]
  %s2 = phi i32 [ %v2, %next6 ], [ %s2.next, %loop ]
  %s3 = phi i32 [ %v3, %next6 ], [ %s3.next, %loop ]
  %s4 = phi i32 [ %v4, %next6 ], [ %s4.next, %loop ]
  %s5 = phi i32 [ %v5, %next6 ], [ %s5.next, %loop ]
  %s6 = phi i32 [ %v6, %next6 ], [ %s6.next, %loop ]
  %s0.next = mul i32 %s0, 3
  %s1.next = mul i32 %s1, 5
  %s2.next = mul i32 %s2, 7
  %s3.next = mul i32 %s3, 9
  %s4.next = mul i32 %s4, 11
  %s5.next = mul i32 %s5, 13
  %s6.next = mul i32 %s6, 15
  %u0 = select i1 %c0, i32 %t, i32 0
  store volatile i32 %u0, ptr %out, align 4
  %u1 = select i1 %c1, i32 %t, i32 0
  store volatile i32 %u1, ptr %out, align 4
  %u2 = select i1 %c2, i32 %t, i32 0
  store volatile i32 %u2, ptr %out, align 4
  %u3 = select i1 %c3, i32 %t, i32 0
  store volatile i32 %u3, ptr %out, align 4
  %u4 = select i1 %c4, i32 %t, i32 0
  store volatile i32 %u4, ptr %out, align 4
  %u5 = select i1 %c5, i32 %t, i32 0
  store volatile i32 %u5, ptr %out, align 4
  %u6 = select i1 %c6, i32 %t, i32 0
  store volatile i32 %u6, ptr %out, align 4
  %t.next = add i32 %t, 1
  %again = icmp slt i32 %t.next, %count
  br i1 %again, label %loop, label %end0
end0:
  br i1 %c0, label %store0, label %end1
store0:
  %q0 = getelementptr i32, ptr %out, i32 %tid
  store i32 %s0.next, ptr %q0, align 4
  br label %end1
end1:
  br i1 %c1, label %store1, label %end2
store1:
  %q1 = getelementptr i32, ptr %out, i32 %i1
  store i32 %s1.next, ptr %q1, align 4
  br label %end2
end2:
  br i1 %c2, label %store2, label %end3
store2:
  %q2 = getelementptr i32, ptr %out, i32 %i2
  store i32 %s2.next, ptr %q2, align 4
  br label %end3
end3:
  br i1 %c3, label %store3, label %end4
store3:
  %q3 = getelementptr i32, ptr %out, i32 %i3
  store i32 %s3.next, ptr %q3, align 4
  br label %end4
end4:
  br i1 %c4, label %store4, label %end5
store4:
  %q4 = getelementptr i32, ptr %out, i32 %i4
  store i32 %s4.next, ptr %q4, align 4
  br label %end5
end5:
  br i1 %c5, label %store5, label %end6
store5:
  %q5 = getelementptr i32, ptr %out, i32 %i5
  store i32 %s5.next, ptr %q5, align 4
  br label %end6
end6:
  br i1 %c6, label %store6, label %end7
store6:
  %q6 = getelementptr i32, ptr %out, i32 %i6
  store i32 %s6.next, ptr %q6, align 4
  br label %end7
end7:
  ret void
}

define ptx_kernel void @carried(ptr noalias %in, ptr noalias %out, i32 %n, i32 %count) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c0 = icmp slt i32 %tid, %n
  br i1 %c0, label %load0, label %next0
load0:
  %p0 = getelementptr i32, ptr %in, i32 %tid
  %l0 = load i32, ptr %p0, align 4
  br label %next0
next0:
  %v0 = phi i32 [ %l0, %load0 ], [ 0, %entry ]
  %i1 = add i32 %tid, 32
  %c1 = icmp slt i32 %i1, %n
  br i1 %c1, label %load1, label %next1
load1:
  %p1 = getelementptr i32, ptr %in, i32 %i1
  %l1 = load i32, ptr %p1, align 4
  br label %next1
next1:
  %v1 = phi i32 [ %l1, %load1 ], [ 0, %next0 ]
  %i2 = add i32 %tid, 64
  %c2 = icmp slt i32 %i2, %n
  br i1 %c2, label %load2, label %next2
load2:
  %p2 = getelementptr i32, ptr %in, i32 %i2
  %l2 = load i32, ptr %p2, align 4
  br label %next2
next2:
  %v2 = phi i32 [ %l2, %load2 ], [ 0, %next1 ]
  %i3 = add i32 %tid, 96
  %c3 = icmp slt i32 %i3, %n
  br i1 %c3, label %load3, label %next3
load3:
  %p3 = getelementptr i32, ptr %in, i32 %i3
  %l3 = load i32, ptr %p3, align 4
  br label %next3
next3:
  %v3 = phi i32 [ %l3, %load3 ], [ 0, %next2 ]
  %i4 = add i32 %tid, 128
  %c4 = icmp slt i32 %i4, %n
  br i1 %c4, label %load4, label %next4
load4:
  %p4 = getelementptr i32, ptr %in, i32 %i4
  %l4 = load i32, ptr %p4, align 4
  br label %next4
next4:
  %v4 = phi i32 [ %l4, %load4 ], [ 0, %next3 ]
  %i5 = add i32 %tid, 160
  %c5 = icmp slt i32 %i5, %n
  br i1 %c5, label %load5, label %next5
load5:
  %p5 = getelementptr i32, ptr %in, i32 %i5
  %l5 = load i32, ptr %p5, align 4
  br label %next5
next5:
  %v5 = phi i32 [ %l5, %load5 ], [ 0, %next4 ]
  %i6 = add i32 %tid, 192
  %c6 = icmp slt i32 %i6, %n
  br i1 %c6, label %load6, label %next6
load6:
  %p6 = getelementptr i32, ptr %in, i32 %i6
  %l6 = load i32, ptr %p6, align 4
  br label %next6
next6:
  %v6 = phi i32 [ %l6, %load6 ], [ 0, %next5 ]
  br label %loop
loop:
  %t = phi i32 [ 0, %next6 ], [ %t.next, %loop ]
  %m = phi float [ 0.0, %next6 ], [ %m.next, %loop ]
  %s0 = phi i32 [ %v0, %next6 ], [ %s0.next, %loop ]
  %s1 = phi i32 [ %v1, %next6 ], [ %s1.next, %loop ]
  %s2 = phi i32 [ %v2, %next6 ], [ %s2.next, %loop ]
  %s3 = phi i32 [ %v3, %next6 ], [ %s3.next, %loop ]
  %s4 = phi i32 [ %v4, %next6 ], [ %s4.next, %loop ]
  %s5 = phi i32 [ %v5, %next6 ], [ %s5.next, %loop ]
  %s6 = phi i32 [ %v6, %next6 ], [ %s6.next, %loop ]
  %s0.next = mul i32 %s0, 3
  %s1.next = mul i32 %s1, 5
  %s2.next = mul i32 %s2, 7
  %s3.next = mul i32 %s3, 9
  %s4.next = mul i32 %s4, 11
  %s5.next = mul i32 %s5, 13
  %s6.next = mul i32 %s6, 15
  %a = fadd contract float %m, 1.0
  %m.next = fmul contract float %a, 3.0
  store volatile float %a, ptr %out, align 4
  %t.next = add i32 %t, 1
  %again = icmp slt i32 %t.next, %count
  br i1 %again, label %loop, label %end0
end0:
  br i1 %c0, label %store0, label %end1
store0:
  %q0 = getelementptr i32, ptr %out, i32 %tid
  store i32 %s0.next, ptr %q0, align 4
  br label %end1
end1:
  br i1 %c1, label %store1, label %end2
store1:
  %q1 = getelementptr i32, ptr %out, i32 %i1
  store i32 %s1.next, ptr %q1, align 4
  br label %end2
end2:
  br i1 %c2, label %store2, label %end3
store2:
  %q2 = getelementptr i32, ptr %out, i32 %i2
  store i32 %s2.next, ptr %q2, align 4
  br label %end3
end3:
  br i1 %c3, label %store3, label %end4
store3:
  %q3 = getelementptr i32, ptr %out, i32 %i3
  store i32 %s3.next, ptr %q3, align 4
  br label %end4
end4:
  br i1 %c4, label %store4, label %end5
store4:
  %q4 = getelementptr i32, ptr %out, i32 %i4
  store i32 %s4.next, ptr %q4, align 4
  br label %end5
end5:
  br i1 %c5, label %store5, label %end6
store5:
  %q5 = getelementptr i32, ptr %out, i32 %i5
  store i32 %s5.next, ptr %q5, align 4
  br label %end6
end6:
  br i1 %c6, label %store6, label %end7
store6:
  %q6 = getelementptr i32, ptr %out, i32 %i6
  store i32 %s6.next, ptr %q6, align 4
  br label %end7
end7:
  ret void
}

define ptx_kernel void @pointers(ptr noalias %in, ptr noalias %out, ptr %end, i32 %count) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g0 = getelementptr i32, ptr %in, i32 %tid
  %c0 = icmp ult ptr %g0, %end
  br i1 %c0, label %load0, label %next0
load0:
  %p0 = getelementptr i32, ptr %in, i32 %tid
  %l0 = load i32, ptr %p0, align 4
  br label %next0
next0:
  %v0 = phi i32 [ %l0, %load0 ], [ 0, %entry ]
  %i1 = add i32 %tid, 32
  %g1 = getelementptr i32, ptr %in, i32 %i1
  %c1 = icmp ult ptr %g1, %end
  br i1 %c1, label %load1, label %next1
load1:
  %p1 = getelementptr i32, ptr %in, i32 %i1
  %l1 = load i32, ptr %p1, align 4
  br label %next1
next1:
  %v1 = phi i32 [ %l1, %load1 ], [ 0, %next0 ]
  %i2 = add i32 %tid, 64
  %g2 = getelementptr i32, ptr %in, i32 %i2
  %c2 = icmp ult ptr %g2, %end
  br i1 %c2, label %load2, label %next2
load2:
  %p2 = getelementptr i32, ptr %in, i32 %i2
  %l2 = load i32, ptr %p2, align 4
  br label %next2
next2:
  %v2 = phi i32 [ %l2, %load2 ], [ 0, %next1 ]
  %i3 = add i32 %tid, 96
  %g3 = getelementptr i32, ptr %in, i32 %i3
  %c3 = icmp ult ptr %g3, %end
  br i1 %c3, label %load3, label %next3
load3:
  %p3 = getelementptr i32, ptr %in, i32 %i3
  %l3 = load i32, ptr %p3, align 4
  br label %next3
next3:
  %v3 = phi i32 [ %l3, %load3 ], [ 0, %next2 ]
  %i4 = add i32 %tid, 128
  %g4 = getelementptr i32, ptr %in, i32 %i4
  %c4 = icmp ult ptr %g4, %end
  br i1 %c4, label %load4, label %next4
load4:
  %p4 = getelementptr i32, ptr %in, i32 %i4
  %l4 = load i32, ptr %p4, align 4
  br label %next4
next4:
  %v4 = phi i32 [ %l4, %load4 ], [ 0, %next3 ]
  %i5 = add i32 %tid, 160
  %g5 = getelementptr i32, ptr %in, i32 %i5
  %c5 = icmp ult ptr %g5, %end
  br i1 %c5, label %load5, label %next5
load5:
  %p5 = getelementptr i32, ptr %in, i32 %i5
  %l5 = load i32, ptr %p5, align 4
  br label %next5
next5:
  %v5 = phi i32 [ %l5, %load5 ], [ 0, %next4 ]
  %i6 = add i32 %tid, 192
  %g6 = getelementptr i32, ptr %in, i32 %i6
  %c6 = icmp ult ptr %g6, %end
  br i1 %c6, label %load6, label %next6
load6:
  %p6 = getelementptr i32, ptr %in, i32 %i6
  %l6 = load i32, ptr %p6, align 4
  br label %next6
next6:
  %v6 = phi i32 [ %l6, %load6 ], [ 0, %next5 ]
  br label %loop
loop:
  %t = phi i32 [ 0, %next6 ], [ %t.next, %loop ]
  %s0 = phi i32 [ %v0, %next6 ], [ %s0.next, %loop ]
  %s1 = phi i32 [ %v1, %next6 ], [ %s1.next, %loop ]
  %s2 = phi i32 [ %v2, %next6 ], [ %s2.next, %loop ]
  %s3 = phi i32 [ %v3, %next6 ], [ %s3.next, %loop ]
  %s4 = phi i32 [ %v4, %next6 ], [ %s4.next, %loop ]
  %s5 = phi i32 [ %v5, %next6 ], [ %s5.next, %loop ]
  %s6 = phi i32 [ %v6, %next6 ], [ %s6.next, %loop ]
  %s0.next = mul i32 %s0, 3
  %s1.next = mul i32 %s1, 5
  %s2.next = mul i32 %s2, 7
  %s3.next = mul i32 %s3, 9
  %s4.next = mul i32 %s4, 11
  %s5.next = mul i32 %s5, 13
  %s6.next = mul i32 %s6, 15
  %t.next = add i32 %t, 1
  %again = icmp slt i32 %t.next, %count
  br i1 %again, label %loop, label %end0
end0:
  br i1 %c0, label %store0, label %end1
store0:
  store i32 %s0.next, ptr %g0, align 4
  br label %end1
end1:
  br i1 %c1, label %store1, label %end2
store1:
  store i32 %s1.next, ptr %g1, align 4
  br label %end2
end2:
  br i1 %c2, label %store2, label %end3
store2:
  store i32 %s2.next, ptr %g2, align 4
  br label %end3
end3:
  br i1 %c3, label %store3, label %end4
store3:
  store i32 %s3.next, ptr %g3, align 4
  br label %end4
end4:
  br i1 %c4, label %store4, label %end5
store4:
  store i32 %s4.next, ptr %g4, align 4
  br label %end5
end5:
  br i1 %c5, label %store5, label %end6
store5:
  store i32 %s5.next, ptr %g5, align 4
  br label %end6
end6:
  br i1 %c6, label %store6, label %end7
store6:
  store i32 %s6.next, ptr %g6, align 4
  br label %end7
end7:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
