; Objects of constant size of the entry block lie in the frame's fixed part, also behind one of computed size, and stay when
; the stack goes back.
;
; RUN: %warpwise simt %s --block 4 --arg 'i32[4]:iota' --arg 'i32[4]:zero' | %FileCheck %s

; CHECK: arg 0: i32[4] = 0, 0, 0, 0{{$}}
; CHECK-NEXT: arg 1: i32[4] = 7, 7, 7, 7{{$}}
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %p, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %save = call ptr @llvm.stacksave.p0()
  %a = alloca i32, i32 %t
  %b = alloca i32
  store i32 7, ptr %b
  call void @llvm.stackrestore.p0(ptr %save)
  %v = load i32, ptr %b
  %bi = ptrtoint ptr %b to i64
  %low = trunc i64 %bi to i32
  %first = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 15, i32 %low, i32 0, i32 31)
  %apart = sub i32 %low, %first
  %q = getelementptr i32, ptr %p, i32 %t
  store i32 %apart, ptr %q
  %s = getelementptr i32, ptr %r, i32 %t
  store i32 %v, ptr %s
  ret void
}
