// What is loaded may turn out to be a product that was stored: LLVM finds out later, and a sum that was melded early would
// be joined with it.
//
// RUN: %clang_cuda %s -S -o - | %FileCheck %s --implicit-check-not=fma.rn.f64
// CHECK: .entry early(
extern "C" __global__ void early(double *out, const double *in, const float *more, double a) {
  __shared__ double shared[128];
  double *mine = shared + threadIdx.x * 2;
  for (int i = 0; i < 2; ++i)
    mine[i] = in[threadIdx.x] * a;
  unsigned n = threadIdx.x;
  if (threadIdx.x & 1) {
    mine[n & 1] = (more[blockIdx.x] + mine[1]) * mine[0];
    n = (n * 77 + (unsigned)in[n + 1]) % 1000003u;
    n = (n * 35 + 11) % 999983u;
  } else {
    mine[n & 1] = (more[blockIdx.x] + mine[1]) * mine[0];
    n = (n * 99 + (unsigned)in[n + 2]) % 1000003u;
    n = (n * 25 + 13) % 999983u;
  }
  out[threadIdx.x] = mine[0] + n;
}
