; A branch on a row of the block: in blocks of 32 and more in x it never splits a warp. In blocks that are narrower it does,
; and so may one on a constant that lanes chose on their ways.
; RUN: %opt -passes=fuse-branches -verify-each -pass-remarks=warpwise -pass-remarks-missed=warpwise -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -passes='fuse-branches<block=16x16>' -verify-each -pass-remarks=warpwise -pass-remarks-missed=warpwise -disable-output %s 2>&1 \
; RUN:   | %FileCheck --check-prefix=NARROW %s

target triple = "nvptx64-nvidia-cuda"

; CHECK: divergent branch not fused: it depends on threadIdx.y or z only, on which lanes agree in blocks of 32 and more in x; -warpwise-block=XxY would tell
; CHECK: divergent branch fused
; NARROW: divergent branch fused

define ptx_kernel void @rows(ptr %a, ptr %b, float %f0, float %f1) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %wide = zext i32 %t to i64
  %odd = and i32 %row, 1
  %is = icmp eq i32 %odd, 0
  br i1 %is, label %yes, label %no

yes:
  %x.at = getelementptr float, ptr %a, i64 %wide
  %x.0 = load float, ptr %x.at, align 4
  %x.1 = fdiv float %x.0, %f0
  %x.2 = fdiv float %x.1, %f1
  %x.3 = fdiv float %x.2, %f0
  %x.4 = fdiv float %x.3, %f1
  %x.5 = fdiv float %x.4, %f0
  %x.6 = fdiv float %x.5, %f1
  store float %x.6, ptr %x.at, align 4
  br label %done

no:
  %y.at = getelementptr float, ptr %b, i64 %wide
  %y.0 = load float, ptr %y.at, align 4
  %y.1 = fdiv float %y.0, %f0
  %y.2 = fdiv float %y.1, %f1
  %y.3 = fdiv float %y.2, %f0
  %y.4 = fdiv float %y.3, %f1
  %y.5 = fdiv float %y.4, %f0
  %y.6 = fdiv float %y.5, %f1
  store float %y.6, ptr %y.at, align 4
  br label %done

done:
  ret void
}

define ptx_kernel void @chosen(ptr %a, ptr %b, ptr %keys, float %f0, float %f1) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %key.at = getelementptr i32, ptr %keys, i64 %wide
  %key = load i32, ptr %key.at, align 4
  %large = icmp ugt i32 %key, 7
  br i1 %large, label %first, label %meet

first:
  store i32 0, ptr %key.at, align 4
  br label %meet

meet:
  %state = phi i32 [ 1, %entry ], [ 2, %first ]
  %is = icmp eq i32 %state, 1
  br i1 %is, label %yes, label %no

yes:
  %x.at = getelementptr float, ptr %a, i64 %wide
  %x.0 = load float, ptr %x.at, align 4
  %x.1 = fdiv float %x.0, %f0
  %x.2 = fdiv float %x.1, %f1
  %x.3 = fdiv float %x.2, %f0
  %x.4 = fdiv float %x.3, %f1
  %x.5 = fdiv float %x.4, %f0
  %x.6 = fdiv float %x.5, %f1
  store float %x.6, ptr %x.at, align 4
  br label %done

no:
  %y.at = getelementptr float, ptr %b, i64 %wide
  %y.0 = load float, ptr %y.at, align 4
  %y.1 = fdiv float %y.0, %f0
  %y.2 = fdiv float %y.1, %f1
  %y.3 = fdiv float %y.2, %f0
  %y.4 = fdiv float %y.3, %f1
  %y.5 = fdiv float %y.4, %f0
  %y.6 = fdiv float %y.5, %f1
  store float %y.6, ptr %y.at, align 4
  br label %done

done:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
