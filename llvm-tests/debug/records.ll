; What hangs on the terminators of melded blocks goes with them: another block in their place must not inherit it, as
; passes that come later would trip over records that hang on nothing.
;
; RUN: %opt -passes='fuse-branches<always>' -verify-each -S %s | %FileCheck %s
; RUN: %opt -passes='fuse-branches<always>,function(instcombine,simplifycfg)' -verify-each -disable-output %s

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %p, i32 %n) !dbg !4 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !9
  %c = icmp slt i32 %t, %n, !dbg !9
    #dbg_value(i32 0, !7, !DIExpression(), !9)
  br i1 %c, label %yes, label %no, !dbg !9

; both say the same of %x, each something of its own of %y, and one alone something of %w
; CHECK-LABEL: entry:
; CHECK: [[M:%.*]] = mul i32
; CHECK-NEXT: #dbg_value(i32 [[M]], [[X:![0-9]+]], !DIExpression()
; CHECK: #dbg_value(i32 poison, [[Y:![0-9]+]], !DIExpression()
; CHECK-NOT: #dbg_value(i32 {{[12]}}, [[Y]]
; CHECK: #dbg_value(i32 poison, [[W:![0-9]+]], !DIExpression()
; CHECK: store i32
yes:
  %a = mul i32 %t, 3, !dbg !10
    #dbg_value(i32 %a, !7, !DIExpression(), !10)
  %d = sdiv i32 %a, %n, !dbg !10
    #dbg_value(i32 1, !11, !DIExpression(), !10)
  store i32 %d, ptr %p, align 4, !dbg !10
    #dbg_value(i32 7, !12, !DIExpression(), !10)
  br label %end, !dbg !10

no:
  %b = mul i32 %t, 5, !dbg !13
    #dbg_value(i32 %b, !7, !DIExpression(), !13)
  %e = sdiv i32 %b, %n, !dbg !13
    #dbg_value(i32 2, !11, !DIExpression(), !13)
  store i32 %e, ptr %p, align 4, !dbg !13
  br label %end, !dbg !13

end:
  %r = phi i32 [ %d, %yes ], [ %e, %no ]
    #dbg_value(i32 %r, !7, !DIExpression(), !9)
  store i32 %r, ptr %p, align 4, !dbg !9
  ret void, !dbg !9
}

; CHECK-DAG: [[X]] = !DILocalVariable(name: "x"
; CHECK-DAG: [[Y]] = !DILocalVariable(name: "y"
; CHECK-DAG: [[W]] = !DILocalVariable(name: "w"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, isOptimized: true, emissionKind: FullDebug)
!1 = !DIFile(filename: "k.cu", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !6)
!4 = distinct !DISubprogram(name: "k", scope: !1, file: !1, line: 1, type: !3, scopeLine: 1, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !6)
!5 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!6 = !{}
!7 = !DILocalVariable(name: "x", scope: !4, file: !1, line: 2, type: !5)
!9 = !DILocation(line: 3, column: 1, scope: !4)
!10 = !DILocation(line: 4, column: 1, scope: !4)
!11 = !DILocalVariable(name: "y", scope: !4, file: !1, line: 2, type: !5)
!12 = !DILocalVariable(name: "w", scope: !4, file: !1, line: 2, type: !5)
!13 = !DILocation(line: 5, column: 1, scope: !4)
