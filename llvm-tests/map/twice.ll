; A module is counted once: a second run would count the counting.
; RUN: %opt -passes='divergence-map<name=t>' -S %s -o %t.1.ll
; RUN: %opt -passes='divergence-map<name=t>,divergence-map<name=t>' -S %s -o %t.2.ll
; RUN: diff %t.1.ll %t.2.ll
; RUN: %not %opt -passes='divergence-map<name=a-b>' -disable-output %s 2>&1 | %FileCheck %s --check-prefix=NAME
; RUN: %not %opt -passes='divergence-map<frob>' -disable-output %s 2>&1 | %FileCheck %s --check-prefix=FROB

; NAME: parameter 'name' of 'divergence-map' takes letters, digits and underscores, not 'a-b'
; FROB: 'divergence-map' has no parameter 'frob'

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, 20
  br i1 %c, label %a, label %b
a:
  store i32 1, ptr %out
  br label %b
b:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
