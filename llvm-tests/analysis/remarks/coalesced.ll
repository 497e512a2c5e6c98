; Accesses that are as good as they can be are told only on demand.
;
; RUN: %opt -passes=warpwise-remarks -pass-remarks-analysis=warpwise -disable-output %s 2>&1 | %FileCheck %s --allow-empty
; RUN: %opt -warpwise-remarks=optimal -passes=warpwise-remarks -pass-remarks-analysis=warpwise -disable-output %s 2>&1 | %FileCheck %s --check-prefix=ALL
; RUN: %opt -passes='warpwise-remarks<optimal>' -pass-remarks-analysis=warpwise -disable-output %s 2>&1 | %FileCheck %s --check-prefix=ALL

; CHECK-NOT: {{.}}
; ALL: lanes 4 bytes apart: 4 sectors per request, the fewest

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %p) "nvvm.reqntid"="64" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %a = getelementptr inbounds float, ptr %p, i64 %i
  %v = load float, ptr %a
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
