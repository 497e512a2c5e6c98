; An earlier run counted: one branch never splits, one splits one warp of four, one every warp. The first is left alone,
; the second weighed and left alone, the third fused. Without the map the first two are known to split one warp of a block.
; RUN: %opt -passes='divergence-map<name=t>' -S %s -o %t.counted.ll
; RUN: %warpwise simt %t.counted.ll --block 128 --arg 'i32[128]:zero' --arg i32:7 --arg i32:3 --save-map %t.map
; RUN: %opt -passes='fuse-branches' -warpwise-profile-use=%t.map -verify-each -pass-remarks=warpwise -pass-remarks-missed=warpwise -S %s -o %t.ll 2>&1 | %FileCheck %s
; RUN: %opt -passes='fuse-branches' -verify-each -pass-remarks=warpwise -pass-remarks-missed=warpwise -disable-output %s 2>&1 | %FileCheck %s --check-prefix=BLIND
; RUN: %not %opt -passes='fuse-branches' -warpwise-profile-use=%t.none -disable-output %s 2>&1 | %FileCheck %s --check-prefix=NONE

; CHECK-DAG: a.cu:3:1: divergent branch not fused: by the divergence map it split 0 of 4 warps
; CHECK-DAG: a.cu:4:1: divergent branch not fused: too few warps split for what each of the others would lose: 1 of 5+1 instructions {{.*}}; by the divergence map it split 1 of 4 warps
; CHECK-DAG: a.cu:5:1: divergent branch fused: {{.*}}; by the divergence map it split 4 of 4 warps
; BLIND-DAG: a.cu:3:1: divergent branch not fused: it is assumed to split 12 % of the warps
; BLIND-DAG: a.cu:4:1: divergent branch not fused: it is assumed to split 12 % of the warps
; BLIND-DAG: a.cu:5:1: divergent branch fused
; NONE-COUNT-1: -warpwise-profile-use: cannot read
; NONE-NOT: cannot read

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %out, i32 %x, i32 %y) !dbg !4 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !7
  %p = getelementptr i32, ptr %out, i32 %t, !dbg !7
  %c = icmp ult i32 %t, 64, !dbg !7
  br i1 %c, label %yes, label %no, !dbg !8

yes:
  %a = sdiv i32 %x, %y, !dbg !8
  br label %join, !dbg !8

no:
  %b = sdiv i32 %y, %x, !dbg !8
  br label %join, !dbg !8

join:
  %r = phi i32 [ %a, %yes ], [ %b, %no ], !dbg !8
  %d = or i32 %r, 1, !dbg !8
  %w = zext i32 %r to i64, !dbg !8
  %c2 = icmp ult i32 %t, 40, !dbg !9
  br i1 %c2, label %yes2, label %no2, !dbg !9

yes2:
  %a2 = sdiv i32 %x, %d, !dbg !9
  %m2 = mul i64 %w, 77, !dbg !9
  %n2 = mul i64 %m2, %w, !dbg !9
  %o2 = mul i64 %n2, %w, !dbg !9
  %q2 = trunc i64 %o2 to i32, !dbg !9
  br label %join2, !dbg !9

no2:
  %b2 = sdiv i32 %y, %d, !dbg !9
  br label %join2, !dbg !9

join2:
  %r2 = phi i32 [ %a2, %yes2 ], [ %b2, %no2 ], !dbg !9
  %s2 = phi i32 [ %q2, %yes2 ], [ 1, %no2 ], !dbg !9
  %d2 = or i32 %r2, 1, !dbg !9
  %odd = and i32 %t, 1, !dbg !10
  %c3 = icmp eq i32 %odd, 0, !dbg !10
  br i1 %c3, label %yes3, label %no3, !dbg !10

yes3:
  %a3 = sdiv i32 %x, %d2, !dbg !10
  br label %join3, !dbg !10

no3:
  %b3 = sdiv i32 %y, %d2, !dbg !10
  br label %join3, !dbg !10

join3:
  %r3 = phi i32 [ %a3, %yes3 ], [ %b3, %no3 ], !dbg !10
  %e = add i32 %r3, %s2, !dbg !10
  store i32 %e, ptr %p, align 4, !dbg !10
  ret void, !dbg !10
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, producer: "clang", isOptimized: true, runtimeVersion: 0, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "a.cu", directory: "/")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "k", scope: !1, file: !1, line: 1, type: !5, unit: !0)
!5 = !DISubroutineType(types: !6)
!6 = !{}
!7 = !DILocation(line: 2, column: 1, scope: !4)
!8 = !DILocation(line: 3, column: 1, scope: !4)
!9 = !DILocation(line: 4, column: 1, scope: !4)
!10 = !DILocation(line: 5, column: 1, scope: !4)
