; A kernel without a bound whose instructions were moved within their blocks before it was copied: the copy's instructions do not
; stand as in the snapshot of the kernel, which must not be taken for the copy's.
; RUN: %opt -passes='steer-spills<regs=18>' -verify-each -S %s | %FileCheck %s

; CHECK: @warpwise_slots_kernel{{.*}} = internal addrspace(3) global
; CHECK-LABEL: define ptx_kernel void @kernel
; CHECK: icmp ule i32 {{.*}}, 224

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @kernel(ptr %out, i1 %last) {
b1:
  %v2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %v25 = zext i32 %v2 to i64
  %v26 = mul i64 %v25, 0
  %v30 = load i32, ptr null, align 4
  %v41 = load i32, ptr null, align 4
  %v38 = and i32 %v2, 0
  %v42 = mul i32 %v38, 0
  %v56 = load i32, ptr null, align 4
  %v57 = mul i32 %v2, 0
  %v68 = load i32, ptr null, align 4
  %v69 = mul i32 %v2, 0
  %v74 = and i32 %v2, 0
  %v31 = mul i32 %v2, 0
  %v78 = mul i32 %v31, 0
  %v79 = or i32 %v78, 0
  %v85 = load float, ptr null, align 4
  %v86 = mul i32 %v2, 0
  br label %b90

b90:                                              ; preds = %b90, %b1
  %v92 = phi i32 [ 0, %b1 ], [ 0, %b90 ]
  %v93 = phi i32 [ 0, %b1 ], [ 0, %b90 ]
  %v95 = xor i32 %v38, %v79
  %v97 = or i32 %v68, %v42
  %v98 = fadd float %v85, 0.000000e+00
  %v100 = getelementptr i32, ptr %out, i64 %v26
  %v106 = load i32, ptr null, align 4
  %v108 = or i64 0, %v25
  %v109 = getelementptr i32, ptr %out, i64 %v108
  %v110 = load i32, ptr null, align 4
  %v113 = or i32 %v93, %v97
  %v114 = or i32 %v92, 0
  br i1 %last, label %b91, label %b90, !prof !0

b91:                                              ; preds = %b90
  %v117 = or i32 %v74, %v86
  %v125 = or i32 0, %v69
  %v127 = xor i32 0, %v2
  %v130 = xor i32 %v57, %v56
  %v139 = xor i32 0, %v41
  %v142 = xor i32 %v31, %v30
  %v143 = getelementptr i32, ptr %out, i64 %v26
  %v144 = getelementptr i8, ptr %v143, i64 16
  ret void
}

declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #0

attributes #0 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }

; sixteen turns: values are not computed again in them
!0 = !{!"branch_weights", i32 1, i32 15}
