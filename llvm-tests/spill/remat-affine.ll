; The thread index plus what follows from arguments alone: recomputed in the inner loop from a copy of the index that goes
; through the inner loop's phi, and behind the loops from the same copy.
; RUN: %opt -passes='steer-spills<victims=constant>' -verify-each -S %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK: inner:
; CHECK: phi i32 [ %tid, %outer ], [ [[HIDDEN:%[0-9]+]], %inner ]
; CHECK: [[HIDDEN]] = xor i32 {{.*}}, %warpwise.zero
; CHECK: add i32 [[HIDDEN]], %u0
; CHECK-NOT: %a0,
; CHECK: exit:
define ptx_kernel void @kernel(ptr noalias %out, i32 %n, i32 %w) #0 {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w0 = mul i32 %w, 3
  %u0 = xor i32 %w0, 1
  %a0 = add i32 %tid, %u0
  %w1 = mul i32 %w, 4
  %u1 = xor i32 %w1, 8
  %a1 = add i32 %u1, %tid
  %w2 = mul i32 %w, 5
  %u2 = xor i32 %w2, 15
  %a2 = add i32 %u2, %tid
  %w3 = mul i32 %w, 6
  %u3 = xor i32 %w3, 22
  %a3 = add i32 %u3, %tid
  %w4 = mul i32 %w, 7
  %u4 = xor i32 %w4, 29
  %a4 = add i32 %u4, %tid
  %w5 = mul i32 %w, 8
  %u5 = xor i32 %w5, 36
  %a5 = add i32 %u5, %tid
  %w6 = mul i32 %w, 9
  %u6 = xor i32 %w6, 43
  %a6 = add i32 %u6, %tid
  %w7 = mul i32 %w, 10
  %u7 = xor i32 %w7, 50
  %a7 = add i32 %u7, %tid
  %w8 = mul i32 %w, 11
  %u8 = xor i32 %w8, 57
  %a8 = add i32 %u8, %tid
  %w9 = mul i32 %w, 12
  %u9 = xor i32 %w9, 64
  %a9 = add i32 %u9, %tid
  %w10 = mul i32 %w, 13
  %u10 = xor i32 %w10, 71
  %a10 = add i32 %u10, %tid
  %w11 = mul i32 %w, 14
  %u11 = xor i32 %w11, 78
  %a11 = add i32 %u11, %tid
  %w12 = mul i32 %w, 15
  %u12 = xor i32 %w12, 85
  %a12 = add i32 %u12, %tid
  %w13 = mul i32 %w, 16
  %u13 = xor i32 %w13, 92
  %a13 = add i32 %u13, %tid
  %w14 = mul i32 %w, 17
  %u14 = xor i32 %w14, 99
  %a14 = add i32 %u14, %tid
  %w15 = mul i32 %w, 18
  %u15 = xor i32 %w15, 106
  %a15 = add i32 %u15, %tid
  %w16 = mul i32 %w, 19
  %u16 = xor i32 %w16, 113
  %a16 = add i32 %u16, %tid
  %w17 = mul i32 %w, 20
  %u17 = xor i32 %w17, 120
  %a17 = add i32 %u17, %tid
  %w18 = mul i32 %w, 21
  %u18 = xor i32 %w18, 127
  %a18 = add i32 %u18, %tid
  %w19 = mul i32 %w, 22
  %u19 = xor i32 %w19, 134
  %a19 = add i32 %u19, %tid
  %w20 = mul i32 %w, 23
  %u20 = xor i32 %w20, 141
  %a20 = add i32 %u20, %tid
  %w21 = mul i32 %w, 24
  %u21 = xor i32 %w21, 148
  %a21 = add i32 %u21, %tid
  %w22 = mul i32 %w, 25
  %u22 = xor i32 %w22, 155
  %a22 = add i32 %u22, %tid
  %w23 = mul i32 %w, 26
  %u23 = xor i32 %w23, 162
  %a23 = add i32 %u23, %tid
  %w24 = mul i32 %w, 27
  %u24 = xor i32 %w24, 169
  %a24 = add i32 %u24, %tid
  %w25 = mul i32 %w, 28
  %u25 = xor i32 %w25, 176
  %a25 = add i32 %u25, %tid
  br label %outer
outer:
  %j = phi i32 [ 0, %entry ], [ %j.next, %latch ]
  %g = phi i32 [ 0, %entry ], [ %h25, %latch ]
  br label %inner
inner:
  %k = phi i32 [ 0, %outer ], [ %k.next, %inner ]
  %h = phi i32 [ %g, %outer ], [ %h25, %inner ]
  %m0 = mul i32 %h, 3
  %h0 = xor i32 %m0, %a0
  %m1 = mul i32 %h0, 3
  %h1 = xor i32 %m1, %a1
  %m2 = mul i32 %h1, 3
  %h2 = xor i32 %m2, %a2
  %m3 = mul i32 %h2, 3
  %h3 = xor i32 %m3, %a3
  %m4 = mul i32 %h3, 3
  %h4 = xor i32 %m4, %a4
  %m5 = mul i32 %h4, 3
  %h5 = xor i32 %m5, %a5
  %m6 = mul i32 %h5, 3
  %h6 = xor i32 %m6, %a6
  %m7 = mul i32 %h6, 3
  %h7 = xor i32 %m7, %a7
  %m8 = mul i32 %h7, 3
  %h8 = xor i32 %m8, %a8
  %m9 = mul i32 %h8, 3
  %h9 = xor i32 %m9, %a9
  %m10 = mul i32 %h9, 3
  %h10 = xor i32 %m10, %a10
  %m11 = mul i32 %h10, 3
  %h11 = xor i32 %m11, %a11
  %m12 = mul i32 %h11, 3
  %h12 = xor i32 %m12, %a12
  %m13 = mul i32 %h12, 3
  %h13 = xor i32 %m13, %a13
  %m14 = mul i32 %h13, 3
  %h14 = xor i32 %m14, %a14
  %m15 = mul i32 %h14, 3
  %h15 = xor i32 %m15, %a15
  %m16 = mul i32 %h15, 3
  %h16 = xor i32 %m16, %a16
  %m17 = mul i32 %h16, 3
  %h17 = xor i32 %m17, %a17
  %m18 = mul i32 %h17, 3
  %h18 = xor i32 %m18, %a18
  %m19 = mul i32 %h18, 3
  %h19 = xor i32 %m19, %a19
  %m20 = mul i32 %h19, 3
  %h20 = xor i32 %m20, %a20
  %m21 = mul i32 %h20, 3
  %h21 = xor i32 %m21, %a21
  %m22 = mul i32 %h21, 3
  %h22 = xor i32 %m22, %a22
  %m23 = mul i32 %h22, 3
  %h23 = xor i32 %m23, %a23
  %m24 = mul i32 %h23, 3
  %h24 = xor i32 %m24, %a24
  %m25 = mul i32 %h24, 3
  %h25 = xor i32 %m25, %a25
  %k.next = add i32 %k, 1
  %more = icmp ult i32 %k.next, %n
  br i1 %more, label %inner, label %latch
latch:
  %j.next = add i32 %j, 1
  %again = icmp ult i32 %j.next, %n
  br i1 %again, label %outer, label %exit
exit:
  %wide = zext i32 %tid to i64
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %h25, ptr %to, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxnreg"="24" }
