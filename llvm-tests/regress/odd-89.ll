; RUN: %warpwise fuzz survive %s
; An odd module: types, instructions and attributes that no front end writes. scripts/fuzz --modules edits it further.
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@global0 = internal global float 1.000000e+00, align 2

define weak_odr ptx_kernel void @kernel0() #0 personality ptr @__gxx_personality_v0 !dbg !3 {
b0:
  %v1 = shufflevector <3 x i32> poison, <3 x i32> <i32 408, i32 21, i32 undef>, <4 x i32> <i32 0, i32 0, i32 3, i32 1>, !dbg !6
  %v2 = fdiv float 5.000000e-01, -2.000000e+00, !dbg !6
  %v3 = alloca [1 x <4 x i1>], align 8, !dbg !6
  %v4 = getelementptr nusw i5, ptr undef, i32 341, !dbg !6
  %v5 = load i127, ptr %v4, align 2, !dbg !6
  %v6 = ptrtoint ptr @global0 to i64, !dbg !6
  %v7 = getelementptr <1 x i32>, ptr %v3, i32 -1, !dbg !6
    #dbg_value(ptr %v7, !7, !DIExpression(), !6)
  br label %0

0:                                                ; preds = %b0
  br i1 false, label %b2, label %b3, !dbg !6

b1:                                               ; preds = %b5, %b2, %b2
  %v8 = phi ptr addrspace(101) [ poison, %b5 ], [ undef, %b2 ], [ undef, %b2 ]
  %v9 = phi target("spirv.Event") [ undef, %b5 ], [ poison, %b2 ], [ poison, %b2 ]
  %v10 = phi i64 [ %v6, %b5 ], [ %v6, %b2 ], [ %v6, %b2 ]
  %v11 = add <4 x i32> splat (i32 2), %v1, !dbg !6
  %v26 = select i1 false, float 1.000000e+00, float %v20, !dbg !6
  store ptr %v4, ptr %v4, align 16, !dbg !6
  %v12 = insertvalue { i32, i1 } poison, i1 poison, 1, !dbg !6
  %v13 = call i32 @llvm.nvvm.read.ptx.sreg.nwarpid(), !dbg !6
  %v14 = shl i64 %v10, %v10, !dbg !6
  %v15 = frem float %v2, %v2, !dbg !6
  %v16 = uitofp <4 x i32> %v1 to <4 x float>, !dbg !6
  call void asm sideeffect "", "~{memory}"(), !dbg !6
  %v17 = getelementptr i32, ptr %v7, <2 x i64> <i64 1, i64 0>, !dbg !6
    #dbg_value(i77 poison, !7, !DIExpression(), !6)
  br label %b5, !dbg !6

b2:                                               ; preds = %0
  %v19 = call i32 @llvm.nvvm.read.ptx.sreg.clock(), !dbg !6
  %v20 = fmul float %v2, %v2, !dbg !6
  %v21 = alloca i1, align 4, !dbg !6
  %v22 = insertvalue { i32, i1 } undef, i32 %v19, 0, !dbg !6
  %v23 = fmul nnan contract float %v20, 1.000000e+00, !dbg !6
  %v24 = extractvalue { i32, i1 } %v22, 0, !dbg !6
  store i127 %v5, ptr null, align 2, !dbg !6
  %v25 = fmul float %v20, %v20, !dbg !6
  br i1 false, label %b1, label %b1, !dbg !6

b3:                                               ; preds = %0
  %v27 = phi ptr addrspace(1) [ poison, %0 ]
  %v28 = phi i127 [ %v5, %0 ]
  %v29 = phi { i64 } [ zeroinitializer, %0 ]
  %v30 = phi i1 [ poison, %0 ]
  ret void, !dbg !6

b4:                                               ; preds = %b4, %b4
  %v31 = phi i128 [ %v31, %b4 ], [ %v31, %b4 ]
  %v32 = phi half [ %v32, %b4 ], [ %v32, %b4 ]
  %v33 = phi { half, i64 } [ %v33, %b4 ], [ %v33, %b4 ]
  %v34 = call i32 @llvm.nvvm.read.ptx.sreg.clock(), !dbg !6
  %v35 = load i77, ptr %v7, align 16, !dbg !6, !invariant.load !9
  br i1 true, label %b4, label %b4, !dbg !6, !prof !10

b5:                                               ; preds = %b5, %b1
  %v36 = phi <5 x i64> [ splat (i64 -1), %b5 ], [ <i64 257, i64 324, i64 -1, i64 493, i64 135>, %b1 ]
  call void @llvm.assume(i1 false), !dbg !6
  %v37 = call i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt(), !dbg !6
  %v38 = shl nuw <4 x i32> %v1, %v1, !dbg !6
  call void @llvm.memset.p0.i64(ptr %v7, i8 4, i64 %v6, i1 false), !dbg !6
  %v39 = inttoptr i64 %v6 to ptr, !dbg !6
  %v40 = call i32 asm sideeffect "odd $0;", "=r"(), !dbg !6
  %v41 = ptrtoint ptr %v39 to i16, !dbg !6
  fence seq_cst, !dbg !6
  %v42 = ptrtoint ptr null to i1, !dbg !6
  switch i32 %v13, label %b5 [
    i32 11814101, label %b1
  ]
}

; Function Attrs: nocallback nofree nounwind willreturn memory(inaccessiblemem: readwrite)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.clock() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt() #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.nwarpid() #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write)
declare void @llvm.assume(i1 noundef) #3

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: write)
declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #4

declare i32 @__gxx_personality_v0(...)

declare void @may_throw(i32)

attributes #0 = { "nvvm.reqntid"="32,4,1" }
attributes #1 = { nocallback nofree nounwind willreturn memory(inaccessiblemem: readwrite) }
attributes #2 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }
attributes #4 = { nocallback nofree nounwind willreturn memory(argmem: write) }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug)
!1 = !DIFile(filename: "odd.cu", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = distinct !DISubprogram(name: "f0", scope: !1, file: !1, line: 1, type: !4, spFlags: DISPFlagDefinition, unit: !0)
!4 = !DISubroutineType(types: !5)
!5 = !{null}
!6 = !DILocation(line: 3, column: 5, scope: !3)
!7 = !DILocalVariable(name: "v", scope: !3, file: !1, line: 2, type: !8)
!8 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!9 = !{}
!10 = !{!"branch_weights", i32 1, i32 9}
