// A sum of a phi may turn out to be one of a product: LLVM unrolls the loop afterwards, and the two would be joined in one
// block. So the branches around the sum stay.
//
// RUN: %clang_cuda %s -S -o - | %FileCheck %s --implicit-check-not=fma.rn
// CHECK: .entry unrolled(
// CHECK: add.f32
static __device__ unsigned bits(float x) { return x != x ? 0x7fc00000u : __float_as_uint(x); }

extern "C" __global__ void unrolled(unsigned *out, const float *f, const float *w, unsigned m) {
  unsigned t = threadIdx.x, v = t;
  float x = w[t & 7];
  v += min(v, __funnelshift_l(m, v, 0));
  for (unsigned j = 0; j < 2; ++j)
    x *= x;
  if (v == 0u) {
  } else {
    if (v & 1)
      x = 1;
    else
      x = f[1] + x;
  }
  out[t] = v * 31 ^ bits(x);
}
