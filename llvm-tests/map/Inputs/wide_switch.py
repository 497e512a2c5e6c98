"""A kernel with a divergent switch of so many cases, each to a block of its own."""

import sys

cases = range(int(sys.argv[1]))
print('target triple = "nvptx64-nvidia-cuda"')
print("declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()")
print("define ptx_kernel void @k(ptr %p) {\nentry:\n  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()")
print("  switch i32 %t, label %end [" + " ".join(f"i32 {case}, label %b{case}" for case in cases) + " ]")
for case in cases:
    print(f"b{case}:\n  br label %end")
print("end:\n  %x = phi i32 [ 0, %entry ], " + ", ".join(f"[ {7 * case}, %b{case} ]" for case in cases))
print("  store i32 %x, ptr %p\n  ret void\n}")
