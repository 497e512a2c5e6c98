; Pointers in a structure that a kernel takes by value come from the host: global memory. Its own members are parameters,
; and that all lanes read one of them is nothing to tell.
;
; RUN: %opt -passes=warpwise-remarks -pass-remarks-analysis=warpwise -disable-output %s 2>&1 | %FileCheck %s

; CHECK-NOT: {{apart|address}}
; CHECK: lanes 8 bytes apart: 8 sectors per request instead of 4, if warps lie along x
; CHECK-NOT: {{apart|address}}

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr readonly byval({ ptr, ptr }) %s) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %p = load ptr, ptr %s
  %good = getelementptr inbounds i32, ptr %p, i64 %i
  store i32 %t, ptr %good
  %field = getelementptr inbounds i8, ptr %s, i64 8
  %q = load ptr, ptr %field
  %bad = getelementptr inbounds i64, ptr %q, i64 %i
  store i32 %t, ptr %bad
  ret void
}

; Unknown memory: a stride that is good in all of them is not told.
define void @f(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %good = getelementptr inbounds i32, ptr %p, i64 %i
  store i32 %t, ptr %good
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
