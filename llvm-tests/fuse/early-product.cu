// A product that begins what a loop of two iterations adds up: LLVM unrolls the loop after the middle of the pipeline, and where
// the branch behind it has been melded there, moves the product to the sums. So the branch stays until the end.
//
// RUN: %clang_cuda %s -S -o - | %FileCheck %s
// CHECK: .entry two(
// CHECK: mul.f32
// CHECK-NOT: fma.rn
// CHECK: ret
static __device__ unsigned bits(float x) { return x != x ? 0x7fc00000u : __float_as_uint(x); }

extern "C" __global__ void two(unsigned *out, const unsigned *in, const float *f, float w) {
  unsigned t = threadIdx.x;
  float x = f[t] * w;
  if (in[t] & 8)
    out[t + 9] = in[t + 1];
#pragma unroll
  for (unsigned j = 2; j-- > 0;) {
    volatile unsigned z = in[t];
    if (j & 1)
      z = j;
    out[t + j] ^= bits((x + x) * (x + f[t + 3]));
    x += (float)(z & 1023u);
  }
  if (t & 1) {
    out[t + 2] ^= in[t + 63] ^ (in[in[t] & 63] & 1048575) * 4;
    for (unsigned j = 0, n = in[t + 1] & 7; j < n; ++j)
      if (in[t + 61] > j || t == 5) {
      }
  } else {
    out[t + 2] ^= in[t + 63] - (in[in[t] & 63] & 1048575) * 4;
    for (unsigned j = 0, n = in[t + 1] & 7; j < n; ++j)
      if (in[t + 61] > j || t == 5) {
      }
  }
  out[t] = bits(x);
}
