; A version that the host chooses, in a module that is compiled again without -warpwise-versions: it may have a second body
; like any other kernel.
; RUN: %opt -passes='steer-spills<victims=all+rare>' -verify-each -S %s -o %t.ll
; RUN: %FileCheck %s < %t.ll
; RUN: %warpwise simt --compare %s %t.ll --kernel 'kernel$v1' --block 64 --arg i32[64]:random:8 --arg i32[64]:zero

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define ptx_kernel void @"kernel$v1"
; CHECK:       warpwise.entry:
; CHECK:         br i1 %warpwise.fits
define ptx_kernel void @"kernel$v1"(ptr %in, ptr %out) "target-cpu"="sm_90" "warpwise-version"="1,0,0,1,1,2,1,1,0" {
entry:
  %array = alloca [8 x i32], align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %from = getelementptr i32, ptr %in, i64 %wide
  %div.k = load i32, ptr %from, align 4
  %index = and i32 %div.k, 7
  %element = getelementptr inbounds i32, ptr %array, i32 %index
  store i32 1, ptr %array, align 4
  store i32 %div.k, ptr %element, align 4
  %value = load i32, ptr %array, align 4
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %value, ptr %to, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
