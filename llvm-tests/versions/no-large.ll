; A kernel of more than 2000 basic blocks is not copied, neither for a version nor to be measured; one of 2000 is.
; RUN: python3 %S/Inputs/blocks.py 1999 > %t.blocks
; RUN: sed '/^; here follow/r %t.blocks' %s > %t.ll
; RUN: %opt -passes='steer-spills<versions;victims=all+rare>' -pass-remarks-missed=warpwise -S %t.ll 2>&1 | %FileCheck %s
; RUN: %opt -passes='warpwise<tune>' -pass-remarks-missed=warpwise -S %t.ll 2>&1 | %FileCheck %s --check-prefix=TUNE
; RUN: python3 %S/Inputs/blocks.py 1998 > %t.blocks
; RUN: sed '/^; here follow/r %t.blocks' %s > %t.ll
; RUN: %opt -passes='steer-spills<versions;victims=all+rare>' -S %t.ll | %FileCheck %s --check-prefix=FITS
; CHECK: stays in local memory{{.*}}: a version for launches that give it more shared memory is not possible: it has 2001 basic blocks, too many to copy
; CHECK-NOT: @"kernel$v1"(
; TUNE: no alternatives: it has 2001 basic blocks, too many to copy
; TUNE-NOT: @"kernel$t1"(
; FITS: define ptx_kernel void @"kernel$v1"(

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @kernel(ptr %in, ptr %out) #0 {
  %array = alloca [24 x i32], align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %from = getelementptr i32, ptr %in, i64 %wide
  %div.k = load i32, ptr %from, align 4
  %index = and i32 %div.k, 15
  %element = getelementptr inbounds i32, ptr %array, i32 %index
  store i32 %div.k, ptr %element, align 4
  %next = xor i32 %index, 1
  %beside = getelementptr inbounds i32, ptr %array, i32 %next
  store i32 %tid, ptr %beside, align 4
  %value = load i32, ptr %element, align 4
  br label %b1

; here follow b1 to bN

end:
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %value, ptr %to, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" }
