; Numba 0.68 wrote this for axpy (numba.py).
source_filename = "llvm-link"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@llvm.used = appending global [1 x ptr] [ptr @_ZN6cudapy84axpyE5ArrayIfLi1EES0_fi], section "llvm.metadata"
@_ZN6cudapy84axpyE5ArrayIfLi1EES0_fi__errcode__ = global i32 0
@_ZN6cudapy84axpyE5ArrayIfLi1EES0_fi__tidx__ = global i32 0
@_ZN6cudapy84axpyE5ArrayIfLi1EES0_fi__ctaidx__ = global i32 0
@_ZN6cudapy84axpyE5ArrayIfLi1EES0_fi__tidy__ = global i32 0
@_ZN6cudapy84axpyE5ArrayIfLi1EES0_fi__ctaidy__ = global i32 0
@_ZN6cudapy84axpyE5ArrayIfLi1EES0_fi__tidz__ = global i32 0
@_ZN6cudapy84axpyE5ArrayIfLi1EES0_fi__ctaidz__ = global i32 0
@_ZN08NumbaEnv84axpyE5ArrayIfLi1EES0_fi = common global ptr null

define ptx_kernel void @_ZN6cudapy84axpyE5ArrayIfLi1EES0_fi(ptr %.1, ptr %.2, i64 %.3, i64 %.4, ptr %.5, i64 %.6, i64 %.7, ptr %.8, ptr %.9, i64 %.10, i64 %.11, ptr %.12, i64 %.13, i64 %.14, float %.15, i32 %.16) {
.18:
  %inserted.meminfo = insertvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } undef, ptr %.1, 0
  %inserted.parent = insertvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.meminfo, ptr %.2, 1
  %inserted.nitems = insertvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.parent, i64 %.3, 2
  %inserted.itemsize = insertvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.nitems, i64 %.4, 3
  %inserted.data = insertvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.itemsize, ptr %.5, 4
  %.19 = insertvalue [1 x i64] undef, i64 %.6, 0
  %inserted.shape = insertvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.data, [1 x i64] %.19, 5
  %.20 = insertvalue [1 x i64] undef, i64 %.7, 0
  %inserted.strides = insertvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.shape, [1 x i64] %.20, 6
  %inserted.meminfo.1 = insertvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } undef, ptr %.8, 0
  %inserted.parent.1 = insertvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.meminfo.1, ptr %.9, 1
  %inserted.nitems.1 = insertvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.parent.1, i64 %.10, 2
  %inserted.itemsize.1 = insertvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.nitems.1, i64 %.11, 3
  %inserted.data.1 = insertvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.itemsize.1, ptr %.12, 4
  %.21 = insertvalue [1 x i64] undef, i64 %.13, 0
  %inserted.shape.1 = insertvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.data.1, [1 x i64] %.21, 5
  %.22 = insertvalue [1 x i64] undef, i64 %.14, 0
  %inserted.strides.1 = insertvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.shape.1, [1 x i64] %.22, 6
  %.23 = alloca ptr, align 8
  store ptr null, ptr %.23, align 8
  store ptr null, ptr %.23, align 8
  %extracted.meminfo = extractvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.strides, 0
  %extracted.parent = extractvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.strides, 1
  %extracted.nitems = extractvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.strides, 2
  %extracted.itemsize = extractvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.strides, 3
  %extracted.data = extractvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.strides, 4
  %extracted.shape = extractvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.strides, 5
  %.26 = extractvalue [1 x i64] %extracted.shape, 0
  %extracted.strides = extractvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.strides, 6
  %.27 = extractvalue [1 x i64] %extracted.strides, 0
  %extracted.meminfo.1 = extractvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.strides.1, 0
  %extracted.parent.1 = extractvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.strides.1, 1
  %extracted.nitems.1 = extractvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.strides.1, 2
  %extracted.itemsize.1 = extractvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.strides.1, 3
  %extracted.data.1 = extractvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.strides.1, 4
  %extracted.shape.1 = extractvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.strides.1, 5
  %.28 = extractvalue [1 x i64] %extracted.shape.1, 0
  %extracted.strides.1 = extractvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.strides.1, 6
  %.29 = extractvalue [1 x i64] %extracted.strides.1, 0
  %.30 = call i32 @_ZN84axpyE5ArrayIfLi1EES0_fi(ptr %.23, ptr %extracted.meminfo, ptr %extracted.parent, i64 %extracted.nitems, i64 %extracted.itemsize, ptr %extracted.data, i64 %.26, i64 %.27, ptr %extracted.meminfo.1, ptr %extracted.parent.1, i64 %extracted.nitems.1, i64 %extracted.itemsize.1, ptr %extracted.data.1, i64 %.28, i64 %.29, float %.15, i32 %.16)
  %.31 = icmp eq i32 %.30, 0
  %.32 = icmp eq i32 %.30, -2
  %.33 = or i1 %.31, %.32
  %.34 = xor i1 %.33, true
  %.35 = icmp eq i32 %.30, -1
  %.36 = icmp eq i32 %.30, -3
  %.37 = icmp sge i32 %.30, 1
  %.38 = load ptr, ptr %.23, align 8
  ret void
}

define linkonce_odr i32 @_ZN84axpyE5ArrayIfLi1EES0_fi(ptr %.ret, ptr %arg.x.0, ptr %arg.x.1, i64 %arg.x.2, i64 %arg.x.3, ptr %arg.x.4, i64 %arg.x.5.0, i64 %arg.x.6.0, ptr %arg.y.0, ptr %arg.y.1, i64 %arg.y.2, i64 %arg.y.3, ptr %arg.y.4, i64 %arg.y.5.0, i64 %arg.y.6.0, float %arg.a, i32 %arg.n) {
entry:
  %inserted.meminfo = insertvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } undef, ptr %arg.x.0, 0
  %inserted.parent = insertvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.meminfo, ptr %arg.x.1, 1
  %inserted.nitems = insertvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.parent, i64 %arg.x.2, 2
  %inserted.itemsize = insertvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.nitems, i64 %arg.x.3, 3
  %inserted.data = insertvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.itemsize, ptr %arg.x.4, 4
  %.19 = insertvalue [1 x i64] undef, i64 %arg.x.5.0, 0
  %inserted.shape = insertvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.data, [1 x i64] %.19, 5
  %.20 = insertvalue [1 x i64] undef, i64 %arg.x.6.0, 0
  %inserted.strides = insertvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.shape, [1 x i64] %.20, 6
  %inserted.meminfo.1 = insertvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } undef, ptr %arg.y.0, 0
  %inserted.parent.1 = insertvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.meminfo.1, ptr %arg.y.1, 1
  %inserted.nitems.1 = insertvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.parent.1, i64 %arg.y.2, 2
  %inserted.itemsize.1 = insertvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.nitems.1, i64 %arg.y.3, 3
  %inserted.data.1 = insertvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.itemsize.1, ptr %arg.y.4, 4
  %.21 = insertvalue [1 x i64] undef, i64 %arg.y.5.0, 0
  %inserted.shape.1 = insertvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.data.1, [1 x i64] %.21, 5
  %.22 = insertvalue [1 x i64] undef, i64 %arg.y.6.0, 0
  %inserted.strides.1 = insertvalue { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.shape.1, [1 x i64] %.22, 6
  %x = alloca { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] }, align 8
  store { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } zeroinitializer, ptr %x, align 8
  %y = alloca { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] }, align 8
  store { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } zeroinitializer, ptr %y, align 8
  %a = alloca float, align 4
  store float 0.000000e+00, ptr %a, align 4
  %i = alloca i64, align 8
  store i64 0, ptr %i, align 8
  %.51 = alloca { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] }, align 8
  store { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } zeroinitializer, ptr %.51, align 8
  %.88 = alloca { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] }, align 8
  store { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } zeroinitializer, ptr %.88, align 8
  %.120 = alloca { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] }, align 8
  store { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } zeroinitializer, ptr %.120, align 8
  br label %B0

B0:                                               ; preds = %entry
  store { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.strides, ptr %x, align 8
  store { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %inserted.strides.1, ptr %y, align 8
  store float %arg.a, ptr %a, align 4
  %.32 = trunc i64 1 to i32
  %.33 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %.34 = sext i32 %.33 to i64
  %.35 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %.36 = sext i32 %.35 to i64
  %.37 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %.38 = sext i32 %.37 to i64
  %.39 = mul i64 %.36, %.38
  %.40 = add i64 %.39, %.34
  %.43 = load i64, ptr %i, align 8
  store i64 %.40, ptr %i, align 8
  %.45 = load i64, ptr %i, align 8
  %.46 = sext i32 %arg.n to i64
  %.47 = icmp slt i64 %.45, %.46
  br i1 %.47, label %B56, label %B106

B56:                                              ; preds = %B0
  %.49 = load { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] }, ptr %x, align 8
  %.50 = load i64, ptr %i, align 8
  store { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } zeroinitializer, ptr %.51, align 8
  store { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %.49, ptr %.51, align 8
  %.55 = getelementptr inbounds { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] }, ptr %.51, i32 0, i32 5
  %.56 = getelementptr inbounds [1 x i64], ptr %.55, i32 0, i32 0
  %.57 = load i64, ptr %.56, align 8, !range !3
  %.58 = insertvalue [1 x i64] undef, i64 %.57, 0
  %.59 = extractvalue [1 x i64] %.58, 0
  %.60 = getelementptr inbounds { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] }, ptr %.51, i32 0, i32 6
  %.61 = load [1 x i64], ptr %.60, align 8
  %.62 = extractvalue [1 x i64] %.61, 0
  %.63 = icmp slt i64 %.50, 0
  %.64 = add i64 %.50, %.59
  %.65 = select i1 %.63, i64 %.64, i64 %.50
  %.66 = getelementptr inbounds { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] }, ptr %.51, i32 0, i32 5
  %.67 = getelementptr inbounds [1 x i64], ptr %.66, i32 0, i32 0
  %.68 = load i64, ptr %.67, align 8, !range !3
  %.69 = insertvalue [1 x i64] undef, i64 %.68, 0
  %.70 = extractvalue [1 x i64] %.69, 0
  %.71 = getelementptr inbounds { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] }, ptr %.51, i32 0, i32 6
  %.72 = load [1 x i64], ptr %.71, align 8
  %.73 = extractvalue [1 x i64] %.72, 0
  %.74 = getelementptr inbounds { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] }, ptr %.51, i32 0, i32 4
  %.75 = load ptr, ptr %.74, align 8
  %.76 = mul i64 %.65, 1
  %.77 = add i64 0, %.76
  %.78 = getelementptr float, ptr %.75, i64 %.77
  %.79 = load float, ptr %.78, align 4
  %.80 = load { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] }, ptr %x, align 8
  store { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } zeroinitializer, ptr %x, align 8
  %.82 = load float, ptr %a, align 4
  %.83 = fmul float %.82, %.79
  %.84 = load float, ptr %a, align 4
  store float 0.000000e+00, ptr %a, align 4
  %.86 = load { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] }, ptr %y, align 8
  %.87 = load i64, ptr %i, align 8
  store { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } zeroinitializer, ptr %.88, align 8
  store { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %.86, ptr %.88, align 8
  %.92 = getelementptr inbounds { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] }, ptr %.88, i32 0, i32 5
  %.93 = getelementptr inbounds [1 x i64], ptr %.92, i32 0, i32 0
  %.94 = load i64, ptr %.93, align 8, !range !3
  %.95 = insertvalue [1 x i64] undef, i64 %.94, 0
  %.96 = extractvalue [1 x i64] %.95, 0
  %.97 = getelementptr inbounds { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] }, ptr %.88, i32 0, i32 6
  %.98 = load [1 x i64], ptr %.97, align 8
  %.99 = extractvalue [1 x i64] %.98, 0
  %.100 = icmp slt i64 %.87, 0
  %.101 = add i64 %.87, %.96
  %.102 = select i1 %.100, i64 %.101, i64 %.87
  %.103 = getelementptr inbounds { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] }, ptr %.88, i32 0, i32 5
  %.104 = getelementptr inbounds [1 x i64], ptr %.103, i32 0, i32 0
  %.105 = load i64, ptr %.104, align 8, !range !3
  %.106 = insertvalue [1 x i64] undef, i64 %.105, 0
  %.107 = extractvalue [1 x i64] %.106, 0
  %.108 = getelementptr inbounds { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] }, ptr %.88, i32 0, i32 6
  %.109 = load [1 x i64], ptr %.108, align 8
  %.110 = extractvalue [1 x i64] %.109, 0
  %.111 = getelementptr inbounds { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] }, ptr %.88, i32 0, i32 4
  %.112 = load ptr, ptr %.111, align 8
  %.113 = mul i64 %.102, 1
  %.114 = add i64 0, %.113
  %.115 = getelementptr float, ptr %.112, i64 %.114
  %.116 = load float, ptr %.115, align 4
  %.117 = fadd float %.83, %.116
  %.118 = load { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] }, ptr %y, align 8
  %.119 = load i64, ptr %i, align 8
  store { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } zeroinitializer, ptr %.120, align 8
  store { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } %.118, ptr %.120, align 8
  %.124 = getelementptr inbounds { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] }, ptr %.120, i32 0, i32 5
  %.125 = getelementptr inbounds [1 x i64], ptr %.124, i32 0, i32 0
  %.126 = load i64, ptr %.125, align 8, !range !3
  %.127 = insertvalue [1 x i64] undef, i64 %.126, 0
  %.128 = extractvalue [1 x i64] %.127, 0
  %.129 = getelementptr inbounds { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] }, ptr %.120, i32 0, i32 6
  %.130 = load [1 x i64], ptr %.129, align 8
  %.131 = extractvalue [1 x i64] %.130, 0
  %.132 = icmp slt i64 %.119, 0
  %.133 = add i64 %.119, %.128
  %.134 = select i1 %.132, i64 %.133, i64 %.119
  %.135 = getelementptr inbounds { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] }, ptr %.120, i32 0, i32 5
  %.136 = getelementptr inbounds [1 x i64], ptr %.135, i32 0, i32 0
  %.137 = load i64, ptr %.136, align 8, !range !3
  %.138 = insertvalue [1 x i64] undef, i64 %.137, 0
  %.139 = extractvalue [1 x i64] %.138, 0
  %.140 = getelementptr inbounds { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] }, ptr %.120, i32 0, i32 6
  %.141 = load [1 x i64], ptr %.140, align 8
  %.142 = extractvalue [1 x i64] %.141, 0
  %.143 = getelementptr inbounds { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] }, ptr %.120, i32 0, i32 4
  %.144 = load ptr, ptr %.143, align 8
  %.145 = mul i64 %.134, 1
  %.146 = add i64 0, %.145
  %.147 = getelementptr float, ptr %.144, i64 %.146
  store float %.117, ptr %.147, align 4
  %.149 = load { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] }, ptr %y, align 8
  store { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } zeroinitializer, ptr %y, align 8
  %.151 = load i64, ptr %i, align 8
  store i64 0, ptr %i, align 8
  store ptr null, ptr %.ret, align 8
  ret i32 0

B106:                                             ; preds = %B0
  %.155 = load { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] }, ptr %y, align 8
  store { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } zeroinitializer, ptr %y, align 8
  %.157 = load { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] }, ptr %x, align 8
  store { ptr, ptr, i64, i64, ptr, [1 x i64], [1 x i64] } zeroinitializer, ptr %x, align 8
  %.159 = load i64, ptr %i, align 8
  store i64 0, ptr %i, align 8
  %.161 = load float, ptr %a, align 4
  store float 0.000000e+00, ptr %a, align 4
  store ptr null, ptr %.ret, align 8
  ret i32 0
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #0

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #0

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #0

attributes #0 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }

!nvvmir.version = !{!0}
!nvvm.annotations = !{}
!llvm.module.flags = !{!1, !2}

!0 = !{i32 2, i32 0, i32 3, i32 2}
!1 = !{i32 2, !"Dwarf Version", i32 4}
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i64 0, i64 9223372036854775807}
