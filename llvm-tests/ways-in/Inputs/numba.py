# How was numba.ll made? `pip install numba` (0.68), then `python numba.py FOLDER`, then
# `llvm-link -S FOLDER/*.ll | opt --strip-debug -S`; neither a GPU nor libNVVM is needed. (Symbols were shortened.)
import os
import sys

os.environ["LLVMLITE_ENABLE_IR_LAYER_TYPED_POINTERS"] = "0"  # LLVM 17 and later know opaque pointers only
from numba import cuda, float32, int32, types
from numba.cuda.cudadrv import nvvm


class Layout:  # what is asked of libNVVM before code is generated
    data_layout = (
        "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-"
        "f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
    )

    def get_ir_version(self):
        return (2, 0, 3, 2)


nvvm.NVVM = Layout
from numba.cuda.compiler import compile_cuda


def axpy(x, y, a, n):
    i = cuda.grid(1)
    if i < n:
        y[i] = a * x[i] + y[i]


made = compile_cuda(axpy, types.void, (float32[::1], float32[::1], float32, int32), lineinfo=True, cc=(9, 0))
kernel, _ = made.target_context.prepare_cuda_kernel(made.library, made.fndesc, False, True, {}, "axpy.py", 1)
for number, text in enumerate(kernel.llvm_strs):
    with open(os.path.join(sys.argv[1], f"{number}.ll"), "w") as file:
        file.write(text)
