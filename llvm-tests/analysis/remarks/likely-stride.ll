; Where only the proof is missing that a 32-bit index does not wrap, the stride is told with that proviso; one that the analysis rules out is not.
;
; RUN: %opt -passes=warpwise-remarks -pass-remarks-analysis=warpwise -disable-output %s 2>&1 | %FileCheck %s

; CHECK: lanes 8 bytes apart: 8 sectors per request instead of 4, if the 32-bit index does not wrap
; CHECK-NOT: lanes

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %p, i32 %n) "nvvm.reqntid"="128" {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %m = mul i32 %b, %n
  %g = add i32 %m, %t
  %g2 = shl i32 %g, 1
  %i = sext i32 %g2 to i64
  %a = getelementptr inbounds float, ptr %p, i64 %i
  store float 1.0, ptr %a
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %next, %t
  br i1 %more, label %loop, label %after
after:
  %j = zext nneg i32 %next to i64
  %c = getelementptr inbounds float, ptr %p, i64 %j
  store float 1.0, ptr %c
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
