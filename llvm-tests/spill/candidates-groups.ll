; Victims that are defined in different blocks share no group: a wide load must not touch what another lane stores later.
; RUN: %opt -passes='steer-spills<regs=16>' -verify-each -S %s -o %t.ll
; RUN: %FileCheck %s < %t.ll
; RUN: %warpwise simt --compare %s %t.ll --block 64 --race shared -a 'f32[64]:iota' -a 'f32[64]:zero' -a i32:3

target triple = "nvptx64-nvidia-cuda"

; CHECK: @warpwise_slots_kernel = internal addrspace(3) global
; CHECK: load volatile <4 x i32>
define ptx_kernel void @kernel(ptr noalias readonly %coef, ptr noalias %out, i32 %n) #0 {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %own = getelementptr float, ptr %coef, i64 %wide
  %x = load float, ptr %own, align 4
  %p0 = getelementptr float, ptr %coef, i64 0
  %v0 = load float, ptr %p0, align 4
  %c0 = fmul float %v0, %v0
  %p1 = getelementptr float, ptr %coef, i64 1
  %v1 = load float, ptr %p1, align 4
  %c1 = fmul float %v1, %v1
  %p2 = getelementptr float, ptr %coef, i64 2
  %v2 = load float, ptr %p2, align 4
  %c2 = fmul float %v2, %v2
  %p3 = getelementptr float, ptr %coef, i64 3
  %v3 = load float, ptr %p3, align 4
  %c3 = fmul float %v3, %v3
  %p4 = getelementptr float, ptr %coef, i64 4
  %v4 = load float, ptr %p4, align 4
  %c4 = fmul float %v4, %v4
  %p5 = getelementptr float, ptr %coef, i64 5
  %v5 = load float, ptr %p5, align 4
  %c5 = fmul float %v5, %v5
  %p6 = getelementptr float, ptr %coef, i64 6
  %v6 = load float, ptr %p6, align 4
  %c6 = fmul float %v6, %v6
  %p7 = getelementptr float, ptr %coef, i64 7
  %v7 = load float, ptr %p7, align 4
  %c7 = fmul float %v7, %v7
  %p8 = getelementptr float, ptr %coef, i64 8
  %v8 = load float, ptr %p8, align 4
  %c8 = fmul float %v8, %v8
  %p9 = getelementptr float, ptr %coef, i64 9
  %v9 = load float, ptr %p9, align 4
  %c9 = fmul float %v9, %v9
  %p10 = getelementptr float, ptr %coef, i64 10
  %v10 = load float, ptr %p10, align 4
  %c10 = fmul float %v10, %v10
  %p11 = getelementptr float, ptr %coef, i64 11
  %v11 = load float, ptr %p11, align 4
  %c11 = fmul float %v11, %v11
  %p12 = getelementptr float, ptr %coef, i64 12
  %v12 = load float, ptr %p12, align 4
  %c12 = fmul float %v12, %v12
  %p13 = getelementptr float, ptr %coef, i64 13
  %v13 = load float, ptr %p13, align 4
  %c13 = fmul float %v13, %v13
  %p14 = getelementptr float, ptr %coef, i64 14
  %v14 = load float, ptr %p14, align 4
  %c14 = fmul float %v14, %v14
  %p15 = getelementptr float, ptr %coef, i64 15
  %v15 = load float, ptr %p15, align 4
  %c15 = fmul float %v15, %v15
  %p16 = getelementptr float, ptr %coef, i64 16
  %v16 = load float, ptr %p16, align 4
  %c16 = fmul float %v16, %v16
  %p17 = getelementptr float, ptr %coef, i64 17
  %v17 = load float, ptr %p17, align 4
  %c17 = fmul float %v17, %v17
  br label %first
first:
  %i.first = phi i32 [ 0, %entry ], [ %k.first, %first ]
  %y.first = phi float [ %x, %entry ], [ %r.first, %first ]
  %z0.first = call float @llvm.fma.f32(float %y.first, float 0.5, float %c0)
  %z1.first = call float @llvm.fma.f32(float %z0.first, float 0.5, float %c1)
  %z2.first = call float @llvm.fma.f32(float %z1.first, float 0.5, float %c2)
  %z3.first = call float @llvm.fma.f32(float %z2.first, float 0.5, float %c3)
  %z4.first = call float @llvm.fma.f32(float %z3.first, float 0.5, float %c4)
  %z5.first = call float @llvm.fma.f32(float %z4.first, float 0.5, float %c5)
  %z6.first = call float @llvm.fma.f32(float %z5.first, float 0.5, float %c6)
  %z7.first = call float @llvm.fma.f32(float %z6.first, float 0.5, float %c7)
  %z8.first = call float @llvm.fma.f32(float %z7.first, float 0.5, float %c8)
  %z9.first = call float @llvm.fma.f32(float %z8.first, float 0.5, float %c9)
  %z10.first = call float @llvm.fma.f32(float %z9.first, float 0.5, float %c10)
  %z11.first = call float @llvm.fma.f32(float %z10.first, float 0.5, float %c11)
  %z12.first = call float @llvm.fma.f32(float %z11.first, float 0.5, float %c12)
  %z13.first = call float @llvm.fma.f32(float %z12.first, float 0.5, float %c13)
  %z14.first = call float @llvm.fma.f32(float %z13.first, float 0.5, float %c14)
  %z15.first = call float @llvm.fma.f32(float %z14.first, float 0.5, float %c15)
  %z16.first = call float @llvm.fma.f32(float %z15.first, float 0.5, float %c16)
  %r.first = call float @llvm.fma.f32(float %z16.first, float 0.5, float %c17)
  %k.first = add i32 %i.first, 1
  %m.first = icmp slt i32 %k.first, %n
  br i1 %m.first, label %first, label %middle
middle:
  %p18 = getelementptr float, ptr %coef, i64 18
  %v18 = load float, ptr %p18, align 4
  %c18 = fmul float %v18, %v18
  %p19 = getelementptr float, ptr %coef, i64 19
  %v19 = load float, ptr %p19, align 4
  %c19 = fmul float %v19, %v19
  %p20 = getelementptr float, ptr %coef, i64 20
  %v20 = load float, ptr %p20, align 4
  %c20 = fmul float %v20, %v20
  %p21 = getelementptr float, ptr %coef, i64 21
  %v21 = load float, ptr %p21, align 4
  %c21 = fmul float %v21, %v21
  br label %second
second:
  %i.second = phi i32 [ 0, %middle ], [ %k.second, %second ]
  %y.second = phi float [ %r.first, %middle ], [ %r.second, %second ]
  %z0.second = call float @llvm.fma.f32(float %y.second, float 0.5, float %c0)
  %z1.second = call float @llvm.fma.f32(float %z0.second, float 0.5, float %c1)
  %z2.second = call float @llvm.fma.f32(float %z1.second, float 0.5, float %c2)
  %z3.second = call float @llvm.fma.f32(float %z2.second, float 0.5, float %c3)
  %z4.second = call float @llvm.fma.f32(float %z3.second, float 0.5, float %c4)
  %z5.second = call float @llvm.fma.f32(float %z4.second, float 0.5, float %c5)
  %z6.second = call float @llvm.fma.f32(float %z5.second, float 0.5, float %c6)
  %z7.second = call float @llvm.fma.f32(float %z6.second, float 0.5, float %c7)
  %z8.second = call float @llvm.fma.f32(float %z7.second, float 0.5, float %c8)
  %z9.second = call float @llvm.fma.f32(float %z8.second, float 0.5, float %c9)
  %z10.second = call float @llvm.fma.f32(float %z9.second, float 0.5, float %c10)
  %z11.second = call float @llvm.fma.f32(float %z10.second, float 0.5, float %c11)
  %z12.second = call float @llvm.fma.f32(float %z11.second, float 0.5, float %c12)
  %z13.second = call float @llvm.fma.f32(float %z12.second, float 0.5, float %c13)
  %z14.second = call float @llvm.fma.f32(float %z13.second, float 0.5, float %c14)
  %z15.second = call float @llvm.fma.f32(float %z14.second, float 0.5, float %c15)
  %z16.second = call float @llvm.fma.f32(float %z15.second, float 0.5, float %c16)
  %z17.second = call float @llvm.fma.f32(float %z16.second, float 0.5, float %c17)
  %z18.second = call float @llvm.fma.f32(float %z17.second, float 0.5, float %c18)
  %z19.second = call float @llvm.fma.f32(float %z18.second, float 0.5, float %c19)
  %z20.second = call float @llvm.fma.f32(float %z19.second, float 0.5, float %c20)
  %r.second = call float @llvm.fma.f32(float %z20.second, float 0.5, float %c21)
  %k.second = add i32 %i.second, 1
  %m.second = icmp slt i32 %k.second, %n
  br i1 %m.second, label %second, label %end
end:
  %to = getelementptr float, ptr %out, i64 %wide
  store float %r.second, ptr %to, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare float @llvm.fma.f32(float, float, float)

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="64" }
