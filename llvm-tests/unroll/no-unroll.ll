; Which loops with loads or divisions are not unrolled, one for each reason.
; RUN: %opt -passes=unroll-loops -disable-output -pass-remarks=warpwise -pass-remarks-missed=warpwise %s 2>&1 | %FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
; RUN: %opt -passes=unroll-loops -S %s | %FileCheck %s
; CHECK-NOT: llvm.loop
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@s = internal addrspace(3) global float poison
@tile = internal addrspace(3) global [512 x float] poison
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @other()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

; REMARK: remark: {{.*}} loop is not unrolled: it is not counted, or can be left from several places, so that each iteration would still be tested
define ptx_kernel void @uncounted(ptr addrspace(1) %in, ptr addrspace(1) %out, ptr %any, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr float, ptr addrspace(1) %in, i32 %i
  %x = load float, ptr addrspace(1) %at
  store float %x, ptr addrspace(3) @s
  %next = add nuw nsw i32 %i, 1
  %again = fcmp olt float %x, 0.0
  br i1 %again, label %loop, label %done
done:
  ret void
}

; REMARK: remark: {{.*}} loop is not unrolled: lanes may leave it after different numbers of iterations, and all wait for the remainder of each
define ptx_kernel void @divergent(ptr addrspace(1) %in, ptr addrspace(1) %out, ptr %any, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr float, ptr addrspace(1) %in, i32 %i
  %x = load float, ptr addrspace(1) %at
  store float %x, ptr addrspace(3) @s
  %next = add nuw nsw i32 %i, 1
  %again = icmp slt i32 %next, %tid
  br i1 %again, label %loop, label %done
done:
  ret void
}

; REMARK: remark: {{.*}} loop is not unrolled: an iteration waits for other lanes, calls a function, or has an atomic or volatile access
define ptx_kernel void @barrier(ptr addrspace(1) %in, ptr addrspace(1) %out, ptr %any, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr float, ptr addrspace(1) %in, i32 %i
  %x = load float, ptr addrspace(1) %at
  store float %x, ptr addrspace(3) @s
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add nuw nsw i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %done
done:
  ret void
}

; REMARK: remark: {{.*}} loop is not unrolled: an iteration waits for other lanes, calls a function, or has an atomic or volatile access
define ptx_kernel void @calls(ptr addrspace(1) %in, ptr addrspace(1) %out, ptr %any, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr float, ptr addrspace(1) %in, i32 %i
  %x = load float, ptr addrspace(1) %at
  store float %x, ptr addrspace(3) @s
  call void @other()
  %next = add nuw nsw i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %done
done:
  ret void
}

; REMARK: remark: {{.*}} loop is not unrolled: what takes long in it needs the result of the iteration before, so that iterations cannot overlap
define ptx_kernel void @chained(ptr addrspace(1) %in, ptr addrspace(1) %out, ptr %any, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %place = phi i64 [ 0, %entry ], [ %x, %loop ]
  %at = getelementptr i64, ptr addrspace(1) %in, i64 %place
  %x = load i64, ptr addrspace(1) %at
  %next = add nuw nsw i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %done
done:
  ret void
}

; REMARK: remark: {{.*}} loop is not unrolled: it may store to where the next iteration loads from, so that loads cannot overlap
define ptx_kernel void @stores(ptr addrspace(1) %in, ptr addrspace(1) %out, ptr %any, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr float, ptr addrspace(1) %in, i32 %i
  %x = load float, ptr addrspace(1) %at
  store float %x, ptr %any
  %next = add nuw nsw i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %done
done:
  ret void
}

; REMARK: remark: {{.*}} loop is not unrolled: it has 133 instructions; at most 128 are copied 4 times
define ptx_kernel void @large(ptr addrspace(1) %in, ptr addrspace(1) %out, ptr %any, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr float, ptr addrspace(1) %in, i32 %i
  %x = load float, ptr addrspace(1) %at
  %y0 = fmul float %x, %x
  %y1 = fmul float %y0, %y0
  %y2 = fmul float %y1, %y1
  %y3 = fmul float %y2, %y2
  %y4 = fmul float %y3, %y3
  %y5 = fmul float %y4, %y4
  %y6 = fmul float %y5, %y5
  %y7 = fmul float %y6, %y6
  %y8 = fmul float %y7, %y7
  %y9 = fmul float %y8, %y8
  %y10 = fmul float %y9, %y9
  %y11 = fmul float %y10, %y10
  %y12 = fmul float %y11, %y11
  %y13 = fmul float %y12, %y12
  %y14 = fmul float %y13, %y13
  %y15 = fmul float %y14, %y14
  %y16 = fmul float %y15, %y15
  %y17 = fmul float %y16, %y16
  %y18 = fmul float %y17, %y17
  %y19 = fmul float %y18, %y18
  %y20 = fmul float %y19, %y19
  %y21 = fmul float %y20, %y20
  %y22 = fmul float %y21, %y21
  %y23 = fmul float %y22, %y22
  %y24 = fmul float %y23, %y23
  %y25 = fmul float %y24, %y24
  %y26 = fmul float %y25, %y25
  %y27 = fmul float %y26, %y26
  %y28 = fmul float %y27, %y27
  %y29 = fmul float %y28, %y28
  %y30 = fmul float %y29, %y29
  %y31 = fmul float %y30, %y30
  %y32 = fmul float %y31, %y31
  %y33 = fmul float %y32, %y32
  %y34 = fmul float %y33, %y33
  %y35 = fmul float %y34, %y34
  %y36 = fmul float %y35, %y35
  %y37 = fmul float %y36, %y36
  %y38 = fmul float %y37, %y37
  %y39 = fmul float %y38, %y38
  %y40 = fmul float %y39, %y39
  %y41 = fmul float %y40, %y40
  %y42 = fmul float %y41, %y41
  %y43 = fmul float %y42, %y42
  %y44 = fmul float %y43, %y43
  %y45 = fmul float %y44, %y44
  %y46 = fmul float %y45, %y45
  %y47 = fmul float %y46, %y46
  %y48 = fmul float %y47, %y47
  %y49 = fmul float %y48, %y48
  %y50 = fmul float %y49, %y49
  %y51 = fmul float %y50, %y50
  %y52 = fmul float %y51, %y51
  %y53 = fmul float %y52, %y52
  %y54 = fmul float %y53, %y53
  %y55 = fmul float %y54, %y54
  %y56 = fmul float %y55, %y55
  %y57 = fmul float %y56, %y56
  %y58 = fmul float %y57, %y57
  %y59 = fmul float %y58, %y58
  %y60 = fmul float %y59, %y59
  %y61 = fmul float %y60, %y60
  %y62 = fmul float %y61, %y61
  %y63 = fmul float %y62, %y62
  %y64 = fmul float %y63, %y63
  %y65 = fmul float %y64, %y64
  %y66 = fmul float %y65, %y65
  %y67 = fmul float %y66, %y66
  %y68 = fmul float %y67, %y67
  %y69 = fmul float %y68, %y68
  %y70 = fmul float %y69, %y69
  %y71 = fmul float %y70, %y70
  %y72 = fmul float %y71, %y71
  %y73 = fmul float %y72, %y72
  %y74 = fmul float %y73, %y73
  %y75 = fmul float %y74, %y74
  %y76 = fmul float %y75, %y75
  %y77 = fmul float %y76, %y76
  %y78 = fmul float %y77, %y77
  %y79 = fmul float %y78, %y78
  %y80 = fmul float %y79, %y79
  %y81 = fmul float %y80, %y80
  %y82 = fmul float %y81, %y81
  %y83 = fmul float %y82, %y82
  %y84 = fmul float %y83, %y83
  %y85 = fmul float %y84, %y84
  %y86 = fmul float %y85, %y85
  %y87 = fmul float %y86, %y86
  %y88 = fmul float %y87, %y87
  %y89 = fmul float %y88, %y88
  %y90 = fmul float %y89, %y89
  %y91 = fmul float %y90, %y90
  %y92 = fmul float %y91, %y91
  %y93 = fmul float %y92, %y92
  %y94 = fmul float %y93, %y93
  %y95 = fmul float %y94, %y94
  %y96 = fmul float %y95, %y95
  %y97 = fmul float %y96, %y96
  %y98 = fmul float %y97, %y97
  %y99 = fmul float %y98, %y98
  %y100 = fmul float %y99, %y99
  %y101 = fmul float %y100, %y100
  %y102 = fmul float %y101, %y101
  %y103 = fmul float %y102, %y102
  %y104 = fmul float %y103, %y103
  %y105 = fmul float %y104, %y104
  %y106 = fmul float %y105, %y105
  %y107 = fmul float %y106, %y106
  %y108 = fmul float %y107, %y107
  %y109 = fmul float %y108, %y108
  %y110 = fmul float %y109, %y109
  %y111 = fmul float %y110, %y110
  %y112 = fmul float %y111, %y111
  %y113 = fmul float %y112, %y112
  %y114 = fmul float %y113, %y113
  %y115 = fmul float %y114, %y114
  %y116 = fmul float %y115, %y115
  %y117 = fmul float %y116, %y116
  %y118 = fmul float %y117, %y117
  %y119 = fmul float %y118, %y118
  %y120 = fmul float %y119, %y119
  %y121 = fmul float %y120, %y120
  %y122 = fmul float %y121, %y121
  %y123 = fmul float %y122, %y122
  %y124 = fmul float %y123, %y123
  %y125 = fmul float %y124, %y124
  %y126 = fmul float %y125, %y125
  store float %y126, ptr addrspace(3) @s
  %next = add nuw nsw i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %done
done:
  ret void
}

; REMARK: remark: {{.*}} loop is not unrolled: {{[0-9]+}} registers would become {{[0-9]+}}, with which it would spill, or too few blocks would fit on a multiprocessor
define ptx_kernel void @pressure(ptr addrspace(1) %in, ptr addrspace(1) %out, ptr %any, i32 %n) "target-cpu"="sm_90" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at0 = getelementptr <4 x float>, ptr addrspace(1) %in, i32 %i
  %w0 = getelementptr i8, ptr addrspace(1) %at0, i32 0
  %x0 = load <4 x float>, ptr addrspace(1) %w0
  store <4 x float> %x0, ptr addrspace(3) @s
  %at1 = getelementptr <4 x float>, ptr addrspace(1) %in, i32 %i
  %w1 = getelementptr i8, ptr addrspace(1) %at1, i32 64
  %x1 = load <4 x float>, ptr addrspace(1) %w1
  store <4 x float> %x1, ptr addrspace(3) @s
  %at2 = getelementptr <4 x float>, ptr addrspace(1) %in, i32 %i
  %w2 = getelementptr i8, ptr addrspace(1) %at2, i32 128
  %x2 = load <4 x float>, ptr addrspace(1) %w2
  store <4 x float> %x2, ptr addrspace(3) @s
  %at3 = getelementptr <4 x float>, ptr addrspace(1) %in, i32 %i
  %w3 = getelementptr i8, ptr addrspace(1) %at3, i32 192
  %x3 = load <4 x float>, ptr addrspace(1) %w3
  store <4 x float> %x3, ptr addrspace(3) @s
  %at4 = getelementptr <4 x float>, ptr addrspace(1) %in, i32 %i
  %w4 = getelementptr i8, ptr addrspace(1) %at4, i32 256
  %x4 = load <4 x float>, ptr addrspace(1) %w4
  store <4 x float> %x4, ptr addrspace(3) @s
  %at5 = getelementptr <4 x float>, ptr addrspace(1) %in, i32 %i
  %w5 = getelementptr i8, ptr addrspace(1) %at5, i32 320
  %x5 = load <4 x float>, ptr addrspace(1) %w5
  store <4 x float> %x5, ptr addrspace(3) @s
  %at6 = getelementptr <4 x float>, ptr addrspace(1) %in, i32 %i
  %w6 = getelementptr i8, ptr addrspace(1) %at6, i32 384
  %x6 = load <4 x float>, ptr addrspace(1) %w6
  store <4 x float> %x6, ptr addrspace(3) @s
  %at7 = getelementptr <4 x float>, ptr addrspace(1) %in, i32 %i
  %w7 = getelementptr i8, ptr addrspace(1) %at7, i32 448
  %x7 = load <4 x float>, ptr addrspace(1) %w7
  store <4 x float> %x7, ptr addrspace(3) @s
  %next = add nuw nsw i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %done
done:
  ret void
}

; REMARK: remark: {{.*}} loop is not unrolled: it strides over the threads by a constant, which ptxas unrolls itself, or within another loop, with few iterations more often than not
define ptx_kernel void @strided(ptr addrspace(1) %in, ptr addrspace(1) %out, ptr %any, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ %tid, %entry ], [ %next, %loop ]
  %at = getelementptr float, ptr addrspace(1) %in, i32 %i
  %x = load float, ptr addrspace(1) %at
  store float %x, ptr addrspace(3) @s
  %next = add nuw nsw i32 %i, 256
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %done
done:
  ret void
}

; REMARK: remark: {{.*}} loop is not unrolled: its trip count is loaded, which may be small where it runs most often
define ptx_kernel void @loaded(ptr addrspace(1) %in, ptr addrspace(1) %out, ptr %any, i32 %n) {
entry:
  %end = load i32, ptr addrspace(1) %out
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr float, ptr addrspace(1) %in, i32 %i
  %x = load float, ptr addrspace(1) %at
  store float %x, ptr addrspace(3) @s
  %next = add nuw nsw i32 %i, 1
  %again = icmp slt i32 %next, %end
  br i1 %again, label %loop, label %done
done:
  ret void
}

; REMARK: remark: {{.*}} loop is not unrolled: its trip count depends on the block or on the number of threads, which share few iterations more often than not
define ptx_kernel void @divided(ptr addrspace(1) %in, ptr addrspace(1) %out, ptr %any, i32 %n) {
entry:
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %end = add i32 %block, %n
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr float, ptr addrspace(1) %in, i32 %i
  %x = load float, ptr addrspace(1) %at
  store float %x, ptr addrspace(3) @s
  %next = add nuw nsw i32 %i, 1
  %again = icmp slt i32 %next, %end
  br i1 %again, label %loop, label %done
done:
  ret void
}

; REMARK: remark: {{.*}} loop is not unrolled: it divides or takes roots in 64 bits, which ptxas turns into branches, so that iterations cannot overlap
define ptx_kernel void @wide(ptr addrspace(1) %in, ptr addrspace(1) %out, ptr %any, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr double, ptr addrspace(1) %in, i32 %i
  %x = load double, ptr addrspace(1) %at
  %y = fdiv double 1.0, %x
  store double %y, ptr addrspace(3) @s
  %next = add nuw nsw i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %done
done:
  ret void
}

; REMARK: remark: {{.*}} loop is not unrolled: the function has objects on the stack, and copies of the loop would change what is done about them
define ptx_kernel void @stack(ptr addrspace(1) %in, ptr addrspace(1) %out, ptr %any, i32 %n) {
entry:
  %own = alloca [8 x float]
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr float, ptr addrspace(1) %in, i32 %i
  %x = load float, ptr addrspace(1) %at
  %low = and i32 %i, 7
  %slot = getelementptr float, ptr %own, i32 %low
  store float %x, ptr %slot
  %next = add nuw nsw i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %done
done:
  ret void
}

; REMARK: remark: {{.*}} loop is not unrolled: an iteration branches, and loads of one would not move across the branches of another
define ptx_kernel void @branches(ptr addrspace(1) %in, ptr addrspace(1) %out, ptr %any, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr float, ptr addrspace(1) %in, i32 %i
  %x = load float, ptr addrspace(1) %at
  %less = fcmp olt float %x, 0.0
  br i1 %less, label %some, label %latch
some:
  store float %x, ptr addrspace(3) @s
  br label %latch
latch:
  %next = add nuw nsw i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %done
done:
  ret void
}

; REMARK: remark: {{.*}} loop is not unrolled: it is in another loop, and its iterations are few more often than not, or ptxas unrolls it
define ptx_kernel void @nested(ptr addrspace(1) %in, ptr addrspace(1) %out, ptr %any, i32 %n) {
entry:
  br label %outer
outer:
  %j = phi i32 [ 0, %entry ], [ %j.next, %outer.latch ]
  br label %loop
loop:
  %i = phi i32 [ 0, %outer ], [ %next, %loop ]
  %at = getelementptr float, ptr addrspace(1) %in, i32 %i
  %x = load float, ptr addrspace(1) %at
  store float %x, ptr addrspace(3) @s
  %next = add nuw nsw i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %outer.latch
outer.latch:
  %j.next = add nuw nsw i32 %j, 1
  %j.again = icmp slt i32 %j.next, %n
  br i1 %j.again, label %outer, label %done
done:
  ret void
}

; REMARK: remark: {{.*}} loop is not unrolled: other loops of the function are nested deeper and take the time
define ptx_kernel void @first(ptr addrspace(1) %in, ptr addrspace(1) %out, ptr %any, i32 %n) {
entry:
  br label %before
before:
  %k = phi i32 [ 0, %entry ], [ %k.next, %before ]
  %at = getelementptr float, ptr addrspace(1) %in, i32 %k
  %x = load float, ptr addrspace(1) %at
  store float %x, ptr addrspace(3) @s
  %k.next = add nuw nsw i32 %k, 1
  %k.again = icmp slt i32 %k.next, %n
  br i1 %k.again, label %before, label %outer
outer:
  %j = phi i32 [ 0, %before ], [ %j.next, %outer.latch ]
  br label %loop
loop:
  %i = phi i32 [ 0, %outer ], [ %next, %loop ]
  %at.i = getelementptr float, ptr addrspace(1) %out, i32 %i
  store float 0.0, ptr addrspace(1) %at.i
  %next = add nuw nsw i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %outer.latch
outer.latch:
  %j.next = add nuw nsw i32 %j, 1
  %j.again = icmp slt i32 %j.next, %n
  br i1 %j.again, label %outer, label %done
done:
  ret void
}

; REMARK: remark: {{.*}} loop is not unrolled: it loads less than 4 bytes a lane, and more in flight would not share cache lines with other warps
define ptx_kernel void @narrow(ptr addrspace(1) %in, ptr addrspace(1) %out, ptr %any, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %row = shl nuw nsw i32 %i, 10
  %place = add nuw nsw i32 %row, %tid
  %at = getelementptr i8, ptr addrspace(1) %in, i32 %place
  %x = load i8, ptr addrspace(1) %at
  store i8 %x, ptr addrspace(3) @s
  %next = add nuw nsw i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %done
done:
  ret void
}

; REMARK: remark: {{.*}} loop is not unrolled: lanes load from places far apart, which the number of requests holds up, not their latency
define ptx_kernel void @scattered(ptr addrspace(1) %in, ptr addrspace(1) %out, ptr %any, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own = shl nuw nsw i32 %tid, 10
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %place = add nuw nsw i32 %own, %i
  %at = getelementptr float, ptr addrspace(1) %in, i32 %place
  %x = load float, ptr addrspace(1) %at
  store float %x, ptr addrspace(3) @s
  %next = add nuw nsw i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %done
done:
  ret void
}

; REMARK: remark: {{.*}} loop is not unrolled: lanes load from places far apart, which the number of requests holds up, not their latency
define ptx_kernel void @gathered(ptr addrspace(1) %in, ptr addrspace(1) %out, ptr %any, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %from = getelementptr i32, ptr addrspace(1) %out, i32 %tid
  %own = load i32, ptr addrspace(1) %from
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %place = add nuw nsw i32 %own, %i
  %at = getelementptr float, ptr addrspace(1) %in, i32 %place
  %x = load float, ptr addrspace(1) %at
  store float %x, ptr addrspace(3) @s
  %next = add nuw nsw i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %done
done:
  ret void
}

; REMARK: remark: {{.*}} loop is not unrolled: all that it loads is in shared memory, whose latency other warps hide
define ptx_kernel void @near(ptr addrspace(1) %in, ptr addrspace(1) %out, ptr %any, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr float, ptr addrspace(3) @s, i32 %i
  %x = load float, ptr addrspace(3) %at
  store float %x, ptr addrspace(1) %out
  %next = add nuw nsw i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %done
done:
  ret void
}

; in one block, the product and the sum of the next iteration would become one multiply-add
; REMARK: remark: {{.*}} loop is not unrolled: a product could meet a sum of another iteration, where the two round once, or an approximation a constant
define ptx_kernel void @contraction(ptr addrspace(1) %in, ptr addrspace(1) %out, ptr %any, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %before = phi float [ 0.0, %entry ], [ %product, %loop ]
  %at = getelementptr float, ptr addrspace(1) %in, i32 %i
  %x = load float, ptr addrspace(1) %at
  %sum = fadd contract float %x, %before
  store float %sum, ptr addrspace(3) @s
  %product = fmul contract float %x, %x
  %next = add nuw nsw i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %done
done:
  ret void
}

; the same through a structure
; REMARK: remark: {{.*}} loop is not unrolled: a product could meet a sum of another iteration, where the two round once, or an approximation a constant
define ptx_kernel void @contraction_in_structure(ptr addrspace(1) %in, ptr addrspace(1) %out, ptr %any, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %before = phi { float, float } [ zeroinitializer, %entry ], [ %pair, %loop ]
  %at = getelementptr float, ptr addrspace(1) %in, i32 %i
  %x = load float, ptr addrspace(1) %at
  %old = extractvalue { float, float } %before, 0
  %sum = fadd contract float %x, %old
  store float %sum, ptr addrspace(3) @s
  %product = fmul contract float %x, %x
  %pair = insertvalue { float, float } poison, float %product, 0
  %next = add nuw nsw i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %done
done:
  ret void
}

; the iterations that remain of a constant trip count get into the block behind the loop
; REMARK: remark: {{.*}} loop is not unrolled: a product could meet a sum of another iteration, where the two round once, or an approximation a constant
define ptx_kernel void @contraction_behind(ptr addrspace(1) %in, ptr addrspace(1) %out, ptr %any, float %y) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr float, ptr addrspace(1) %in, i32 %i
  %x = load float, ptr addrspace(1) %at
  %product = fmul contract float %x, %x
  store float %product, ptr addrspace(3) @s
  %next = add nuw nsw i32 %i, 1
  %again = icmp slt i32 %next, 41
  br i1 %again, label %loop, label %done
done:
  %sum = fadd contract float %product, %y
  store float %sum, ptr addrspace(1) %out
  ret void
}

; REMARK: remark: {{.*}} loop is not unrolled: it indexes an object, or ends where a loop that does ends, with places for 2 iterations of a thread
; REMARK: remark: {{.*}} loop is not unrolled: it indexes an object, or ends where a loop that does ends, with places for 2 iterations of a thread
define ptx_kernel void @few(ptr addrspace(1) noalias readonly %in, ptr addrspace(1) %out, ptr %any, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %threads = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %some = icmp slt i32 %tid, %n
  br i1 %some, label %fill, label %done
fill:
  %i = phi i32 [ %tid, %entry ], [ %next, %fill ]
  %at = getelementptr float, ptr addrspace(1) %in, i32 %i
  %x = load float, ptr addrspace(1) %at
  %wide = sext i32 %i to i64
  %to = getelementptr inbounds float, ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 %wide
  store float %x, ptr %to
  %next = add nsw i32 %i, %threads
  %again = icmp slt i32 %next, %n
  br i1 %again, label %fill, label %middle
middle:
  br label %copy
copy:
  %j = phi i32 [ %tid, %middle ], [ %j.next, %copy ]
  %from = getelementptr float, ptr addrspace(1) %in, i32 %j
  %y = load float, ptr addrspace(1) %from
  %into = getelementptr float, ptr addrspace(1) %out, i32 %j
  store float %y, ptr addrspace(1) %into
  %j.next = add nsw i32 %j, %threads
  %more = icmp slt i32 %j.next, %n
  br i1 %more, label %copy, label %done
done:
  ret void
}

; REMARK: remark: {{.*}} loop is not unrolled: it is short, and branches back if its condition holds: ptxas unrolls it
define ptx_kernel void @of_ptxas(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %at = getelementptr float, ptr addrspace(1) %in, i32 %i
  %x = load float, ptr addrspace(1) %at
  %more = fadd float %sum, %x
  %next = add nuw nsw i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %done
done:
  store float %more, ptr addrspace(1) %out
  ret void
}

; the back end turns a branch round if its first way follows
; REMARK: remark: {{.*}} loop is not unrolled: it is short, and branches back if its condition holds: ptxas unrolls it
define ptx_kernel void @turned(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %at = getelementptr float, ptr addrspace(1) %in, i32 %i
  %x = load float, ptr addrspace(1) %at
  %more = fadd float %sum, %x
  %next = add nuw nsw i32 %i, 1
  %ends = icmp eq i32 %next, %n
  br i1 %ends, label %done, label %loop
done:
  store float %more, ptr addrspace(1) %out
  ret void
}
