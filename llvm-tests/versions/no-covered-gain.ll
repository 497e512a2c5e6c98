; The check at the entry alone is not worth a copy.
; RUN: %opt -passes='fuse-branches<versions>' -verify-each -pass-remarks=warpwise -pass-remarks-missed=warpwise -S %s -o %t.ll 2>%t.remarks
; RUN: %FileCheck %s < %t.ll
; RUN: %FileCheck %s --check-prefix=REMARK < %t.remarks

target triple = "nvptx64-nvidia-cuda"

; REMARK: no version for launches in which gridDim.x * blockDim.x <= argument 2: without bounds checks it would save {{[0-7]\.[0-9]}} cycles of a warp
; CHECK-NOT: kernel$v

define ptx_kernel void @kernel(ptr %in, ptr %out, i32 %n) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %s = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %first = mul i32 %b, %s
  %i = add i32 %first, %t
  %fits = icmp slt i32 %i, %n
  br i1 %fits, label %inside, label %end

inside:
  %wide = zext i32 %i to i64
  %from = getelementptr float, ptr %in, i64 %wide
  %to = getelementptr float, ptr %out, i64 %wide
  %x = load float, ptr %from, align 4
  store float %x, ptr %to, align 4
  br label %end

end:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()

attributes #0 = { "target-cpu"="sm_90" }
