; A fault names kernel, block, thread, instruction and place.
; RUN: %not %warpwise simt %s --grid 2 --block 40 --arg 'i32[64]:zero' 2>&1 | %FileCheck %s

; CHECK: warpwise: out-of-bounds write of 4 bytes at 0x{{[0-9a-f]+}}: offset 256 of argument 0 (%out) (256 bytes)
; CHECK-NEXT: kernel k, block (1,0,0), thread (24,0,0)
; CHECK-NEXT: in k: store i32 1, ptr %p, align 4

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %s = mul i32 %b, %n
  %i = add i32 %s, %t
  %p = getelementptr i32, ptr %out, i32 %i
  store i32 1, ptr %p
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
