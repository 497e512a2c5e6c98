# How was triton.ll made? `pip install triton` (3.9), then `python triton.py > triton.ll`; no GPU is needed.
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget


@triton.jit
def axpy(x, y, a, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, a * tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


source = triton.compiler.ASTSource(
    fn=axpy,
    signature={"x": "*fp32", "y": "*fp32", "a": "fp32", "n": "i32", "BLOCK": "constexpr"},
    constexprs={"BLOCK": 256},
)
# On a machine with a GPU, `axpy[grid](...)` returns the same object.
print(triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": 4}).asm["llir"])
