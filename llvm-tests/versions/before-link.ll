; Before a link-time optimisation, fuse-branches makes no version; in a build without one it does, and the last pass adds nothing to it.
; RUN: %opt -warpwise-versions -passes='lto-pre-link<O2>' -S %s | %FileCheck %s --check-prefix=BEFORE
; RUN: %opt -warpwise-versions -passes='default<O2>' -S %s | %FileCheck %s
; BEFORE-NOT: kernel$v
; CHECK: @"kernel$versions" = dso_local addrspace(1) constant [15 x i64]
; CHECK: define ptx_kernel void @"kernel$v1"(
; CHECK-NOT: kernel$v2

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @kernel(ptr %a, ptr %b, float %f0, float %f1) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %width = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %above = mul i32 %row, %width
  %at = add i32 %above, %t
  %wide = zext i32 %at to i64
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
  %y.1 = fmul float %y.0, %f0
  %y.2 = fdiv float %y.1, %f1
  %y.3 = fdiv float %y.2, %f0
  %y.4 = fdiv float %y.3, %f1
  %y.5 = fdiv float %y.4, %f0
  %y.6 = fmul float %y.5, %f1
  store float %y.6, ptr %y.at, align 4
  br label %done

done:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()

attributes #0 = { "target-cpu"="sm_90" }
