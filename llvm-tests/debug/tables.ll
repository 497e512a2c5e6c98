; A debugger finds a table that has left constant memory in global memory.
; RUN: %opt -passes=warpwise -S %s | %FileCheck %s
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK: @apart = internal addrspace(1) constant [2 x i32] {{.*}}, !dbg ![[FOUND:[0-9]+]]
; CHECK: ![[FOUND]] = !DIGlobalVariableExpression(var: ![[APART:[0-9]+]], expr: !DIExpression(DW_OP_constu, 5, DW_OP_swap, DW_OP_xderef))
; CHECK: ![[APART]] = distinct !DIGlobalVariable(name: "apart"
@apart = internal addrspace(4) constant [2 x i32] [i32 1, i32 2], align 4, !dbg !0

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define ptx_kernel void @lanes(ptr %to) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %place = zext i32 %tid to i64
  %at = getelementptr i32, ptr addrspacecast (ptr addrspace(4) @apart to ptr), i64 %place
  %a = load i32, ptr %at, align 4
  store i32 %a, ptr %to, align 4
  ret void
}

!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!4}
!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression(DW_OP_constu, 4, DW_OP_swap, DW_OP_xderef))
!1 = distinct !DIGlobalVariable(name: "apart", scope: !2, file: !3, line: 1, type: !5, isLocal: true, isDefinition: true)
!2 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !3, isOptimized: true, emissionKind: FullDebug, globals: !6)
!3 = !DIFile(filename: "tables.cu", directory: "/")
!4 = !{i32 2, !"Debug Info Version", i32 3}
!5 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!6 = !{!0}
