// A product behind the loop whose sum is in another block: with loads from slots beside it, LLVM may no longer move the one to
// the other, and what was one multiply-add is rounded twice. Registers are left to ptxas then, unless the last bits may change.
//
// RUN: %clang_cuda %s -S -o %t.ptx -Rpass-missed=warpwise 2>&1 | %FileCheck %s --check-prefix=KEPT
// RUN: %clang_cuda %s -S -o %t.ptx -mllvm -warpwise-results=contract -Rpass=warpwise 2>&1 | %FileCheck %s --check-prefix=EASED
// KEPT: left to ptxas: loads from slots beside products and sums would change which of them the back end joins
// EASED: register pressure of {{[0-9]+}} for 32 registers eased to

constexpr int NC = 40, NX = 8;
extern "C" __global__ __launch_bounds__(1024, 2) void kernel(const float *coef, const float *in, float *out, int iters) {
  int t = threadIdx.x;
  float c[NC], x[NX];
#pragma unroll
  for (int j = 0; j < NC; j++) c[j] = coef[j] * coef[NC + j];
#pragma unroll
  for (int j = 0; j < NX; j++) x[j] = in[t + j * 1024];
#pragma unroll 1
  for (int it = 0; it < iters; it++) {
#pragma unroll
    for (int j = 0; j < NC; j++) x[j % NX] = fmaf(x[(j + 1) % NX], c[j], x[j % NX]);
  }
  float product = x[0];
#pragma unroll
  for (int j = 0; j < NC; j++) product *= c[j];
  out[t] = product;
  if (x[1] > 1.0f) {
    __syncwarp();
    out[t + 1024] = product + x[2];
  }
}
