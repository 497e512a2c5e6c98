; No version in which a branch is melded for a kernel that the host could not find.
; RUN: %opt -passes='fuse-branches<versions>' -verify-each -pass-remarks=warpwise -pass-remarks-missed=warpwise -S %s -o %t.ll 2>%t.remarks
; RUN: %FileCheck %s < %t.ll
; RUN: %FileCheck %s --check-prefix=REMARK < %t.remarks

target triple = "nvptx64-nvidia-cuda"

; REMARK: no version for launches in which blockDim.x <= 16 and a block has at least 32 threads: the kernel is local to its module, and the host could not find it
; CHECK-NOT: $v
define internal ptx_kernel void @kernel(ptr %a, ptr %b, float %f0, float %f1) #0 {
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
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()

attributes #0 = { "target-cpu"="sm_90" }
