; Lanes that only return behind a guard are not waited for by the full-mask shuffle of the others.
; RUN: %warpwise simt %s --block 32 --arg 'i32[32]:zero' | %FileCheck %s
; RUN: %warpwise simt %s --block 32 --arg 'i32[32]:zero' --scheduler independent:1 | %FileCheck %s

; CHECK: arg 0: i32[32] = 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 0, 0,

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, 10
  br i1 %c, label %a, label %end
a:
  %r = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %t, i32 3, i32 31)
  %p = getelementptr i32, ptr %out, i32 %t
  store i32 %r, ptr %p
  br label %end
end:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
