target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ6matmulE1a = internal unnamed_addr addrspace(3) global [16 x [16 x float]] undef, align 4
@_ZZ6matmulE1b = internal unnamed_addr addrspace(3) global [16 x [16 x float]] undef, align 4

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind memory(argmem: write)
define dso_local ptx_kernel void @collatz(i32 noundef %0, ptr noundef writeonly captures(none) %1) local_unnamed_addr #0 {
  %3 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %4 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %5 = mul i32 %3, %4
  %6 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %7 = add i32 %5, %6
  %8 = icmp slt i32 %7, %0
  br i1 %8, label %9, label %28

9:                                                ; preds = %2
  %10 = icmp eq i32 %7, 0
  br i1 %10, label %24, label %11

11:                                               ; preds = %9
  %12 = add nsw i32 %7, 1
  br label %13

13:                                               ; preds = %11, %13
  %14 = phi i32 [ %22, %13 ], [ 0, %11 ]
  %15 = phi i32 [ %21, %13 ], [ %12, %11 ]
  %16 = and i32 %15, 1
  %17 = icmp eq i32 %16, 0
  %18 = mul i32 %15, 3
  %19 = add i32 %18, 1
  %20 = lshr exact i32 %15, 1
  %21 = select i1 %17, i32 %20, i32 %19
  %22 = add nuw nsw i32 %14, 1
  %23 = icmp eq i32 %21, 1
  br i1 %23, label %24, label %13, !llvm.loop !11

24:                                               ; preds = %13, %9
  %25 = phi i32 [ 0, %9 ], [ %22, %13 ]
  %26 = sext i32 %7 to i64
  %27 = getelementptr inbounds i32, ptr %1, i64 %26
  store i32 %25, ptr %27, align 4, !tbaa !6
  br label %28

28:                                               ; preds = %2, %24
  ret void
}

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite)
define dso_local ptx_kernel void @saxpy(i32 noundef %0, float noundef %1, ptr noundef readonly captures(none) %2, ptr noundef captures(none) %3) local_unnamed_addr #1 {
  %5 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %6 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %7 = mul i32 %5, %6
  %8 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %9 = add i32 %7, %8
  %10 = icmp slt i32 %9, %0
  br i1 %10, label %11, label %19

11:                                               ; preds = %4
  %12 = sext i32 %9 to i64
  %13 = getelementptr inbounds float, ptr %2, i64 %12
  %14 = load float, ptr %13, align 4, !tbaa !13
  %15 = fmul contract float %1, %14
  %16 = getelementptr inbounds float, ptr %3, i64 %12
  %17 = load float, ptr %16, align 4, !tbaa !13
  %18 = fadd contract float %15, %17
  store float %18, ptr %16, align 4, !tbaa !13
  br label %19

19:                                               ; preds = %11, %4
  ret void
}

; Function Attrs: convergent mustprogress noinline norecurse nounwind
define dso_local ptx_kernel void @matmul(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1, ptr noundef writeonly captures(none) %2, i32 noundef %3) local_unnamed_addr #2 {
  %5 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %6 = shl nuw nsw i32 %5, 4
  %7 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %8 = add nuw nsw i32 %6, %7
  %9 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %10 = shl i32 %9, 4
  %11 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %12 = add i32 %10, %11
  %13 = icmp sgt i32 %3, 0
  %14 = mul nsw i32 %3, %8
  br i1 %13, label %15, label %54

15:                                               ; preds = %4
  %16 = add nuw i32 %14, %11
  %17 = zext nneg i32 %7 to i64
  %18 = getelementptr inbounds nuw [16 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ6matmulE1a to ptr), i64 %17
  %19 = zext nneg i32 %11 to i64
  %20 = getelementptr inbounds nuw float, ptr %18, i64 %19
  %21 = getelementptr inbounds nuw [16 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ6matmulE1b to ptr), i64 %17
  %22 = getelementptr inbounds nuw float, ptr %21, i64 %19
  %23 = getelementptr inbounds nuw float, ptr addrspacecast (ptr addrspace(3) @_ZZ6matmulE1b to ptr), i64 %19
  %24 = getelementptr inbounds nuw i8, ptr %18, i64 4
  %25 = getelementptr inbounds nuw i8, ptr %23, i64 64
  %26 = getelementptr inbounds nuw i8, ptr %18, i64 8
  %27 = getelementptr inbounds nuw i8, ptr %23, i64 128
  %28 = getelementptr inbounds nuw i8, ptr %18, i64 12
  %29 = getelementptr inbounds nuw i8, ptr %23, i64 192
  %30 = getelementptr inbounds nuw i8, ptr %18, i64 16
  %31 = getelementptr inbounds nuw i8, ptr %23, i64 256
  %32 = getelementptr inbounds nuw i8, ptr %18, i64 20
  %33 = getelementptr inbounds nuw i8, ptr %23, i64 320
  %34 = getelementptr inbounds nuw i8, ptr %18, i64 24
  %35 = getelementptr inbounds nuw i8, ptr %23, i64 384
  %36 = getelementptr inbounds nuw i8, ptr %18, i64 28
  %37 = getelementptr inbounds nuw i8, ptr %23, i64 448
  %38 = getelementptr inbounds nuw i8, ptr %18, i64 32
  %39 = getelementptr inbounds nuw i8, ptr %23, i64 512
  %40 = getelementptr inbounds nuw i8, ptr %18, i64 36
  %41 = getelementptr inbounds nuw i8, ptr %23, i64 576
  %42 = getelementptr inbounds nuw i8, ptr %18, i64 40
  %43 = getelementptr inbounds nuw i8, ptr %23, i64 640
  %44 = getelementptr inbounds nuw i8, ptr %18, i64 44
  %45 = getelementptr inbounds nuw i8, ptr %23, i64 704
  %46 = getelementptr inbounds nuw i8, ptr %18, i64 48
  %47 = getelementptr inbounds nuw i8, ptr %23, i64 768
  %48 = getelementptr inbounds nuw i8, ptr %18, i64 52
  %49 = getelementptr inbounds nuw i8, ptr %23, i64 832
  %50 = getelementptr inbounds nuw i8, ptr %18, i64 56
  %51 = getelementptr inbounds nuw i8, ptr %23, i64 896
  %52 = getelementptr inbounds nuw i8, ptr %18, i64 60
  %53 = getelementptr inbounds nuw i8, ptr %23, i64 960
  br label %59

54:                                               ; preds = %59, %4
  %55 = phi float [ 0.000000e+00, %4 ], [ %135, %59 ]
  %56 = add nsw i32 %14, %12
  %57 = sext i32 %56 to i64
  %58 = getelementptr inbounds float, ptr %2, i64 %57
  store float %55, ptr %58, align 4, !tbaa !13
  ret void

59:                                               ; preds = %15, %59
  %60 = phi i32 [ 0, %15 ], [ %136, %59 ]
  %61 = phi float [ 0.000000e+00, %15 ], [ %135, %59 ]
  %62 = add i32 %16, %60
  %63 = zext i32 %62 to i64
  %64 = getelementptr inbounds nuw float, ptr %0, i64 %63
  %65 = load float, ptr %64, align 4, !tbaa !13
  store float %65, ptr %20, align 4, !tbaa !13
  %66 = add nuw i32 %60, %7
  %67 = mul i32 %66, %3
  %68 = add i32 %67, %12
  %69 = zext i32 %68 to i64
  %70 = getelementptr inbounds nuw float, ptr %1, i64 %69
  %71 = load float, ptr %70, align 4, !tbaa !13
  store float %71, ptr %22, align 4, !tbaa !13
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %72 = load float, ptr %18, align 4, !tbaa !13
  %73 = load float, ptr %23, align 4, !tbaa !13
  %74 = fmul contract float %72, %73
  %75 = fadd contract float %61, %74
  %76 = load float, ptr %24, align 4, !tbaa !13
  %77 = load float, ptr %25, align 4, !tbaa !13
  %78 = fmul contract float %76, %77
  %79 = fadd contract float %75, %78
  %80 = load float, ptr %26, align 4, !tbaa !13
  %81 = load float, ptr %27, align 4, !tbaa !13
  %82 = fmul contract float %80, %81
  %83 = fadd contract float %79, %82
  %84 = load float, ptr %28, align 4, !tbaa !13
  %85 = load float, ptr %29, align 4, !tbaa !13
  %86 = fmul contract float %84, %85
  %87 = fadd contract float %83, %86
  %88 = load float, ptr %30, align 4, !tbaa !13
  %89 = load float, ptr %31, align 4, !tbaa !13
  %90 = fmul contract float %88, %89
  %91 = fadd contract float %87, %90
  %92 = load float, ptr %32, align 4, !tbaa !13
  %93 = load float, ptr %33, align 4, !tbaa !13
  %94 = fmul contract float %92, %93
  %95 = fadd contract float %91, %94
  %96 = load float, ptr %34, align 4, !tbaa !13
  %97 = load float, ptr %35, align 4, !tbaa !13
  %98 = fmul contract float %96, %97
  %99 = fadd contract float %95, %98
  %100 = load float, ptr %36, align 4, !tbaa !13
  %101 = load float, ptr %37, align 4, !tbaa !13
  %102 = fmul contract float %100, %101
  %103 = fadd contract float %99, %102
  %104 = load float, ptr %38, align 4, !tbaa !13
  %105 = load float, ptr %39, align 4, !tbaa !13
  %106 = fmul contract float %104, %105
  %107 = fadd contract float %103, %106
  %108 = load float, ptr %40, align 4, !tbaa !13
  %109 = load float, ptr %41, align 4, !tbaa !13
  %110 = fmul contract float %108, %109
  %111 = fadd contract float %107, %110
  %112 = load float, ptr %42, align 4, !tbaa !13
  %113 = load float, ptr %43, align 4, !tbaa !13
  %114 = fmul contract float %112, %113
  %115 = fadd contract float %111, %114
  %116 = load float, ptr %44, align 4, !tbaa !13
  %117 = load float, ptr %45, align 4, !tbaa !13
  %118 = fmul contract float %116, %117
  %119 = fadd contract float %115, %118
  %120 = load float, ptr %46, align 4, !tbaa !13
  %121 = load float, ptr %47, align 4, !tbaa !13
  %122 = fmul contract float %120, %121
  %123 = fadd contract float %119, %122
  %124 = load float, ptr %48, align 4, !tbaa !13
  %125 = load float, ptr %49, align 4, !tbaa !13
  %126 = fmul contract float %124, %125
  %127 = fadd contract float %123, %126
  %128 = load float, ptr %50, align 4, !tbaa !13
  %129 = load float, ptr %51, align 4, !tbaa !13
  %130 = fmul contract float %128, %129
  %131 = fadd contract float %127, %130
  %132 = load float, ptr %52, align 4, !tbaa !13
  %133 = load float, ptr %53, align 4, !tbaa !13
  %134 = fmul contract float %132, %133
  %135 = fadd contract float %131, %134
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %136 = add nuw nsw i32 %60, 16
  %137 = icmp slt i32 %136, %3
  br i1 %137, label %59, label %54, !llvm.loop !15
}

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #3

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind memory(argmem: write)
define dso_local ptx_kernel void @hash(i32 noundef %0, ptr noundef writeonly captures(none) %1) local_unnamed_addr #0 {
  %3 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %4 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %5 = mul i32 %3, %4
  %6 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %7 = add i32 %5, %6
  %8 = icmp sgt i32 %0, 0
  br i1 %8, label %9, label %27

9:                                                ; preds = %2
  %10 = and i32 %0, 1
  %11 = icmp eq i32 %0, 1
  br i1 %11, label %16, label %12

12:                                               ; preds = %9
  %13 = and i32 %0, 2147483646
  br label %31

14:                                               ; preds = %31
  %15 = icmp eq i32 %10, 0
  br i1 %15, label %27, label %16

16:                                               ; preds = %14, %9
  %17 = phi i32 [ %7, %9 ], [ %44, %14 ]
  %18 = icmp ne i32 %10, 0
  tail call void @llvm.assume(i1 %18)
  %19 = lshr i32 %17, 16
  %20 = xor i32 %19, %17
  %21 = mul i32 %20, 2146121005
  %22 = lshr i32 %21, 15
  %23 = xor i32 %22, %21
  %24 = mul i32 %23, -2073254261
  %25 = lshr i32 %24, 16
  %26 = xor i32 %25, %24
  br label %27

27:                                               ; preds = %16, %14, %2
  %28 = phi i32 [ %7, %2 ], [ %44, %14 ], [ %26, %16 ]
  %29 = zext i32 %7 to i64
  %30 = getelementptr inbounds nuw i32, ptr %1, i64 %29
  store i32 %28, ptr %30, align 4, !tbaa !6
  ret void

31:                                               ; preds = %31, %12
  %32 = phi i32 [ %7, %12 ], [ %44, %31 ]
  %33 = phi i32 [ 0, %12 ], [ %45, %31 ]
  %34 = lshr i32 %32, 16
  %35 = xor i32 %34, %32
  %36 = mul i32 %35, 2146121005
  %37 = lshr i32 %36, 15
  %38 = xor i32 %37, %36
  %39 = mul i32 %38, -1674769041
  %40 = lshr i32 %39, 15
  %41 = xor i32 %40, %39
  %42 = mul i32 %41, -2073254261
  %43 = lshr i32 %42, 16
  %44 = xor i32 %43, %42
  %45 = add i32 %33, 2
  %46 = icmp eq i32 %45, %13
  br i1 %46, label %14, label %31, !llvm.loop !16
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #4

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #4

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #4

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #4

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.y() #4

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write)
declare void @llvm.assume(i1 noundef) #5

attributes #0 = { mustprogress nofree noinline norecurse nosync nounwind memory(argmem: write) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx88,+sm_90" "uniform-work-group-size"="true" }
attributes #1 = { mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx88,+sm_90" "uniform-work-group-size"="true" }
attributes #2 = { convergent mustprogress noinline norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx88,+sm_90" "uniform-work-group-size"="true" }
attributes #3 = { convergent nocallback nounwind }
attributes #4 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #5 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }

!llvm.module.flags = !{!0, !1, !2, !3}
!llvm.ident = !{!4, !5}
!llvm.errno.tbaa = !{!6}
!nvvmir.version = !{!10}

!0 = !{i32 2, !"SDK Version", [2 x i32] [i32 12, i32 9]}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!3 = !{i32 7, !"frame-pointer", i32 2}
!4 = !{!"Debian clang version 22.1.8 (1~deb12u1)"}
!5 = !{!"clang version 3.8.0 (tags/RELEASE_380/final)"}
!6 = !{!7, !7, i64 0}
!7 = !{!"int", !8, i64 0}
!8 = !{!"omnipotent char", !9, i64 0}
!9 = !{!"Simple C++ TBAA"}
!10 = !{i32 2, i32 0}
!11 = distinct !{!11, !12}
!12 = !{!"llvm.loop.mustprogress"}
!13 = !{!14, !14, i64 0}
!14 = !{!"float", !8, i64 0}
!15 = distinct !{!15, !12}
!16 = distinct !{!16, !12}
