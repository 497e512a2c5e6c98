; Clang's assignment tracking names a stack object beside each value. An array that moves to shared memory is declared
; there if every assignment to it still has its store. Of one that has lost a store nothing is told: what is in memory is
; not what the source assigned, and the values that were recorded may be old ones. So it is with one that begins elsewhere
; than its object.
;
; RUN: %opt -passes=steer-spills -verify-each -S %s | %FileCheck %s
; RUN: %opt -passes='steer-spills,function(instcombine,simplifycfg)' -verify-each -disable-output %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define ptx_kernel void @kept(
; CHECK: [[MINE:%.*]] = getelementptr inbounds i8, ptr addrspace(3) @warpwise_stack_kept
; CHECK: #dbg_declare(ptr addrspace(3) [[MINE]], [[KEPT:![0-9]+]], !DIExpression(DW_OP_plus_uconst, 0, DW_OP_constu, 8, DW_OP_swap, DW_OP_xderef, DW_OP_LLVM_fragment, 0, 32)
; CHECK-NOT: #dbg_assign
; CHECK: ret void
define ptx_kernel void @kept(ptr %in, ptr %out) #0 !dbg !4 {
  %array = alloca [16 x float], align 4, !DIAssignID !20
    #dbg_assign(i1 poison, !7, !DIExpression(), !20, ptr %array, !DIExpression(), !9)
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !9
  %wide = zext i32 %tid to i64, !dbg !9
  %from = getelementptr i32, ptr %in, i64 %wide, !dbg !9
  %div.k = load i32, ptr %from, align 4, !dbg !9
  %third = getelementptr inbounds i8, ptr %array, i64 12, !dbg !9
  %div.f = uitofp i32 %div.k to float, !dbg !9
  store float %div.f, ptr %third, align 4, !dbg !9, !DIAssignID !21
    #dbg_assign(float %div.f, !7, !DIExpression(DW_OP_LLVM_fragment, 96, 32), !21, ptr %third, !DIExpression(), !9)
  %index = zext i32 %div.k to i64, !dbg !9
  %element = getelementptr inbounds float, ptr %array, i64 %index, !dbg !9
  %value = load float, ptr %element, align 4, !dbg !9
  %to = getelementptr float, ptr %out, i64 %wide, !dbg !9
  store float %value, ptr %to, align 4, !dbg !9
  ret void, !dbg !9
}

; CHECK-LABEL: define ptx_kernel void @lost(
; CHECK-NOT: #dbg_declare
; CHECK: #dbg_assign(float poison, [[LOST:![0-9]+]], !DIExpression(DW_OP_LLVM_fragment, 0, 32), {{![0-9]+}}, ptr poison,
; CHECK: #dbg_assign(float poison, [[LOST]], !DIExpression(DW_OP_LLVM_fragment, 96, 32), {{![0-9]+}}, ptr poison,
; CHECK-NOT: #dbg_declare
; CHECK: ret void
define ptx_kernel void @lost(ptr %in, ptr %out) #0 !dbg !10 {
  %array = alloca [16 x float], align 4, !DIAssignID !22
    #dbg_assign(i1 poison, !11, !DIExpression(), !22, ptr %array, !DIExpression(), !12)
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !12
  %wide = zext i32 %tid to i64, !dbg !12
  %from = getelementptr i32, ptr %in, i64 %wide, !dbg !12
  %div.k = load i32, ptr %from, align 4, !dbg !12
    #dbg_assign(float 0.0, !11, !DIExpression(DW_OP_LLVM_fragment, 0, 32), !23, ptr %array, !DIExpression(), !12)
  %third = getelementptr inbounds i8, ptr %array, i64 12, !dbg !12
  %div.f = uitofp i32 %div.k to float, !dbg !12
  store float %div.f, ptr %third, align 4, !dbg !12, !DIAssignID !24
    #dbg_assign(float %div.f, !11, !DIExpression(DW_OP_LLVM_fragment, 96, 32), !24, ptr %third, !DIExpression(), !12)
  %index = zext i32 %div.k to i64, !dbg !12
  %element = getelementptr inbounds float, ptr %array, i64 %index, !dbg !12
  %value = load float, ptr %element, align 4, !dbg !12
  %to = getelementptr float, ptr %out, i64 %wide, !dbg !12
  store float %value, ptr %to, align 4, !dbg !12
  ret void, !dbg !12
}

; CHECK-LABEL: define ptx_kernel void @further(
; CHECK-NOT: #dbg_declare
; CHECK: ret void
define ptx_kernel void @further(ptr %in, ptr %out) #0 !dbg !13 {
  %array = alloca [16 x float], align 4, !DIAssignID !25
    #dbg_assign(i1 poison, !14, !DIExpression(DW_OP_LLVM_fragment, 32, 480), !25, ptr %array, !DIExpression(), !15)
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !15
  %wide = zext i32 %tid to i64, !dbg !15
  %from = getelementptr i32, ptr %in, i64 %wide, !dbg !15
  %div.k = load i32, ptr %from, align 4, !dbg !15
  %third = getelementptr inbounds i8, ptr %array, i64 12, !dbg !15
  %div.f = uitofp i32 %div.k to float, !dbg !15
  store float %div.f, ptr %third, align 4, !dbg !15
  %index = zext i32 %div.k to i64, !dbg !15
  %element = getelementptr inbounds float, ptr %array, i64 %index, !dbg !15
  %value = load float, ptr %element, align 4, !dbg !15
  %to = getelementptr float, ptr %out, i64 %wide, !dbg !15
  store float %value, ptr %to, align 4, !dbg !15
  ret void, !dbg !15
}

; CHECK-DAG: [[KEPT]] = !DILocalVariable(name: "kept"
; CHECK-DAG: [[LOST]] = !DILocalVariable(name: "lost"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="256" }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !26}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, isOptimized: true, emissionKind: FullDebug)
!1 = !DIFile(filename: "k.cu", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !6)
!4 = distinct !DISubprogram(name: "kept", scope: !1, file: !1, line: 1, type: !3, scopeLine: 1, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !6)
!5 = !DICompositeType(tag: DW_TAG_array_type, baseType: !16, size: 512, elements: !17)
!6 = !{}
!7 = !DILocalVariable(name: "kept", scope: !4, file: !1, line: 2, type: !5)
!9 = !DILocation(line: 3, column: 1, scope: !4)
!10 = distinct !DISubprogram(name: "lost", scope: !1, file: !1, line: 11, type: !3, scopeLine: 1, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !6)
!11 = !DILocalVariable(name: "lost", scope: !10, file: !1, line: 12, type: !5)
!12 = !DILocation(line: 13, column: 1, scope: !10)
!13 = distinct !DISubprogram(name: "further", scope: !1, file: !1, line: 21, type: !3, scopeLine: 1, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !6)
!14 = !DILocalVariable(name: "further", scope: !13, file: !1, line: 22, type: !5)
!15 = !DILocation(line: 23, column: 1, scope: !13)
!16 = !DIBasicType(name: "float", size: 32, encoding: DW_ATE_float)
!17 = !{!18}
!18 = !DISubrange(count: 16)
!20 = distinct !DIAssignID()
!21 = distinct !DIAssignID()
!22 = distinct !DIAssignID()
!23 = distinct !DIAssignID()
!24 = distinct !DIAssignID()
!25 = distinct !DIAssignID()
!26 = !{i32 7, !"debug-info-assignment-tracking", i1 true}
