; RUN: %opt -passes='steer-spills<regs=24>,verify' -disable-output %s
; RUN: %warpwise fuzz survive %s
; A vector of pointers in a slot: its bits are had through a vector of integers, not by a bitcast.
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @kernel0() {
b0:
  %v2 = fptosi fp128 0xL00000000000000000000000000000000 to i77
  %v4 = fdiv float 0.000000e+00, 0.000000e+00
  %v5 = load <{ i128, i32, i33 }>, ptr null, align 32
  %v7 = call i32 @llvm.fshl.i32(i32 0, i32 0, i32 0)
  %v8 = call ptr @llvm.stacksave.p0()
  %v9 = inttoptr <1 x i1> zeroinitializer to <1 x ptr addrspace(101)>
  %v11 = fsub fp128 0xL00000000000000000000000000000000, 0xL00000000000000000000000000000000
  br label %b2

b1:                                               ; preds = %b7
  %v14 = fadd fp128 0xL00000000000000000000000000000000, %v11
  %v20 = fmul float %v4, 0.000000e+00
  br label %b5

b2:                                               ; preds = %b7, %b7, %b7, %b2, %b0
  %v22 = phi [4 x bfloat] [ %v22, %b2 ], [ zeroinitializer, %b7 ], [ zeroinitializer, %b7 ], [ zeroinitializer, %b7 ], [ zeroinitializer, %b0 ]
  %v25 = phi double [ %v31, %b2 ], [ 0.000000e+00, %b7 ], [ 0.000000e+00, %b7 ], [ 0.000000e+00, %b7 ], [ 0.000000e+00, %b0 ]
  %v29 = select i1 false, <{ i128, i32, i33 }> %v5, <{ i128, i32, i33 }> zeroinitializer
  %v31 = fneg double 0.000000e+00
  %v33 = load i32, ptr null, align 8
  br i1 false, label %b5, label %b2

b4:                                               ; preds = %b7
  %v50 = insertelement <1 x ptr addrspace(101)> %v9, ptr addrspace(101) null, i32 0
  ret void

b5:                                               ; preds = %b7, %b2, %b1
  %v56 = phi i32 [ %v7, %b7 ], [ %v33, %b2 ], [ 0, %b1 ]
  %v57 = getelementptr <3 x i127>, ptr %v8, i128 -1
  %v58 = shl i77 %v2, 0
  br label %b7

b7:                                               ; preds = %b7, %b5
  switch i8 60, label %b2 [
    i8 0, label %b2
    i8 1, label %b2
    i8 2, label %b1
    i8 6, label %b5
    i8 4, label %b7
    i8 5, label %b4
  ]
}

declare i32 @llvm.fshl.i32(i32, i32, i32) #0

declare ptr @llvm.stacksave.p0() #1

attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #1 = { nocallback nofree nosync nounwind willreturn }
