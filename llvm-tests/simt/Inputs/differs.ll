target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %out, i32 %t
  %x = load i32, ptr %p
  %y = shl i32 %x, 1
  %last = icmp eq i32 %t, 32
  %more = select i1 %last, i32 1, i32 0
  %z = add i32 %y, %more
  store i32 %z, ptr %p
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
