// A loop that LLVM unrolls passes v on as it is, unless a condition holds that no iteration changes. Then the product with `a` is
// the same in the next copy of the iteration: LLVM computes it in front, and the sum there joins the other product. With the
// condition tested before the loop it would join the first. So the condition stays, unless last bits may change.
//
// RUN: %clang_cuda %s -S -o %t.ptx -Rpass=warpwise 2>&1 | %FileCheck %s --check-prefix=SAME --allow-empty
// RUN: %clang_cuda %s -S -o %t.ptx -Rpass=warpwise -mllvm -warpwise-results=contract 2>&1 | %FileCheck %s --check-prefix=ANY
// SAME-NOT: is tested before the loop
// ANY: a condition that all lanes and iterations share is tested before the loop
extern "C" __global__ void kernel(unsigned *o, const float *F, unsigned n) {
  const unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  float v = F[t & 4095];
  for (unsigned i = 0; i < t % 5; ++i) {
#pragma unroll 4
    for (unsigned j = 0; j < (n & 7); ++j)
      if (t >> 5 & 1) v = v * (float)(int)(t & 65535) + F[2376] * v;
  }
  o[t] = __float_as_uint(v);
}
