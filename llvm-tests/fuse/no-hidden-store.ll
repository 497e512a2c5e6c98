; Each side stores to another element of what is loaded behind: LLVM forwards the value on each way, and could not through a store
; to a selected element.
; RUN: %opt -passes='fuse-branches' -verify-each -pass-remarks=warpwise -pass-remarks-missed=warpwise -disable-output %s 2>&1 | %FileCheck %s

; CHECK: divergent branch not fused: it does not pay: {{.*}} saves 24, branches included, and pays 5

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %in, ptr %out, i32 %x, i32 %y) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %mine = getelementptr i32, ptr %in, i32 %t
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %yes, label %no

yes:
  %q0 = udiv i32 %t, %x
  %p0 = getelementptr i32, ptr %mine, i32 0
  store i32 %y, ptr %p0, align 4
  br label %join

no:
  %q1 = udiv i32 %t, %x
  %p1 = getelementptr i32, ptr %mine, i32 1
  store i32 %y, ptr %p1, align 4
  br label %join

join:
  %e0 = getelementptr i32, ptr %mine, i32 0
  %l0 = load i32, ptr %e0, align 4
  %e1 = getelementptr i32, ptr %mine, i32 1
  %l1 = load i32, ptr %e1, align 4
  %sum = add i32 %l0, %l1
  store i32 %sum, ptr %out, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
