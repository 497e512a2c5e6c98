// Products that sums behind the loop get from its phis: no pass brings the one to the other, so values of the loop wait in slots.
//
// RUN: %clang_cuda %s -S -o %t.ptx -Rpass=warpwise 2>&1 | %FileCheck %s
// CHECK: register pressure of {{[0-9]+}} for 32 registers eased to

constexpr int NC = 40, NX = 8;
extern "C" __global__ __launch_bounds__(1024, 2) void kernel(const float *coef, const float *in, float *out, int iters) {
  int t = threadIdx.x;
  float c[NC], x[NX];
#pragma unroll
  for (int j = 0; j < NC; j++) c[j] = coef[j] * coef[NC + j];
#pragma unroll
  for (int j = 0; j < NX; j++) x[j] = in[t] * (float)(j + 1);
#pragma unroll 1
  for (int it = 0; it < iters; it++) {
#pragma unroll
    for (int j = 0; j < NC; j++) x[j % NX] = fmaf(x[(j + 1) % NX], c[j], x[j % NX]);
  }
  out[t] = x[0] + x[1] + x[2] + x[3] + x[4] + x[5] + x[6] + x[7];
}
