// A product behind the loop whose sum is in another block: with loads from slots beside it, LLVM may no longer move the one to
// the other, and what was one multiply-add is rounded twice. Registers are left to ptxas then, unless the last bits may change.
// Products that sums behind the loop get from its phis no pass brings there: values of that loop wait in slots.
//
// RUN: %clang_cuda %s -S -o %t.ptx -Rpass=warpwise -Rpass-missed=warpwise 2>&1 | %FileCheck %s --check-prefix=KEPT
// RUN: %clang_cuda %s -S -o %t.ptx -mllvm -warpwise-results=contract -Rpass=warpwise 2>&1 | %FileCheck %s --check-prefix=EASED

constexpr int NC = 40, NX = 8;

// What is computed in the loop, from `x`.
__device__ inline void loop(float (&c)[NC], float (&x)[NX], const float *coef, int iters) {
#pragma unroll
  for (int j = 0; j < NC; j++) c[j] = coef[j] * coef[NC + j];
#pragma unroll 1
  for (int it = 0; it < iters; it++) {
#pragma unroll
    for (int j = 0; j < NC; j++) x[j % NX] = fmaf(x[(j + 1) % NX], c[j], x[j % NX]);
  }
}

// KEPT: open-pair.cu:[[#@LINE+2]]:{{.*}}left to ptxas: loads from slots beside products and sums would change which of them the back end joins
// EASED: open-pair.cu:[[#@LINE+1]]:{{.*}}register pressure of {{[0-9]+}} for 32 registers eased to
extern "C" __global__ __launch_bounds__(1024, 2) void kernel(const float *coef, const float *in, float *out, int iters) {
  int t = threadIdx.x;
  float c[NC], x[NX];
#pragma unroll
  for (int j = 0; j < NX; j++) x[j] = in[t + j * 1024];
  loop(c, x, coef, iters);
  float product = x[0];
#pragma unroll
  for (int j = 0; j < NC; j++) product *= c[j];
  out[t] = product;
  if (x[1] > 1.0f) {
    __syncwarp();
    out[t + 1024] = product + x[2];
  }
}

// KEPT: open-pair.cu:[[#@LINE+1]]:{{.*}}register pressure of {{[0-9]+}} for 32 registers eased to
extern "C" __global__ __launch_bounds__(1024, 2) void behind(const float *coef, const float *in, float *out, int iters) {
  int t = threadIdx.x;
  float c[NC], x[NX];
#pragma unroll
  for (int j = 0; j < NX; j++) x[j] = in[t] * (float)(j + 1);
  loop(c, x, coef, iters);
  out[t] = x[0] + x[1] + x[2] + x[3] + x[4] + x[5] + x[6] + x[7];
}
