; A line of source says one thing once, however often it was unrolled; clang's wrappers of built-in functions say nothing
; to a user, so what was inlined from them is told of the call.
;
; RUN: %opt -passes=warpwise-remarks -pass-remarks-analysis=warpwise -disable-output %s 2>&1 | %FileCheck %s

; CHECK-NOT: remark
; CHECK: remark: k.cu:5:3: every lane writes the same address
; CHECK-NEXT: remark: k.cu:7:9: every lane updates the same address
; CHECK-NOT: remark

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %p, i32 %n) !dbg !4 {
  %q = getelementptr inbounds i8, ptr %p, i64 4
  store i32 %n, ptr %p, !dbg !5
  store i32 %n, ptr %q, !dbg !6
  %old = atomicrmw add ptr %p, i32 1 monotonic, !dbg !8
  ret void
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "k.cu", directory: "/")
!2 = !DIFile(filename: "include/__clang_cuda_device_functions.h", directory: "/")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "k", file: !1, unit: !0, line: 4, type: !20, spFlags: DISPFlagDefinition)
!5 = !DILocation(line: 5, column: 3, scope: !4)
!6 = distinct !DILocation(line: 5, column: 3, scope: !4)
!7 = distinct !DISubprogram(name: "atomicAdd", file: !2, unit: !0, line: 600, type: !20, spFlags: DISPFlagDefinition)
!8 = !DILocation(line: 603, column: 10, scope: !7, inlinedAt: !9)
!9 = distinct !DILocation(line: 7, column: 9, scope: !4)
!20 = !DISubroutineType(types: !21)
!21 = !{}
