; Remarks go into an optimisation record under the pass name, with a name of their own each.
;
; RUN: %opt -passes=warpwise-remarks -pass-remarks-output=%t.yaml -pass-remarks-filter=warpwise -disable-output %s
; RUN: %FileCheck %s < %t.yaml

; CHECK: --- !Analysis
; CHECK: Pass: {{ *}}warpwise
; CHECK: Name: {{ *}}DivergentBranch
; CHECK: Function: {{ *}}k
; CHECK: branch diverges
; CHECK: Name: {{ *}}SameAddress

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %t, %n
  br i1 %c, label %a, label %b
a:
  store i32 %n, ptr %p
  br label %b
b:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
