// Loops that fill an array keep a product, which has other uses, too, and a sum in blocks of their own. Nobody can foresee what
// becomes of the two once the loops are gone, so these stay.
//
// RUN: %clang_cuda %s -S -o - | %FileCheck %s --implicit-check-not=fma.rn
// CHECK: .entry past(
// CHECK: mul.f32
// CHECK: st.local
static __device__ unsigned bits(float x) { return x != x ? 0x7fc00000u : __float_as_uint(x); }
static __device__ unsigned mix(unsigned h, unsigned v) {
  h = (h ^ v) * 0x9E3779B1u;
  return h ^ h >> 15;
}
extern "C" __global__ void past(unsigned *out, const float *f, float a, unsigned n) {
  unsigned t = threadIdx.x, h = n;
  float x = a + 0.5f;
  x *= x / f[t];
  char2 array[33];
  for (unsigned j = 0; j < 33; ++j) {
    array[j].x = 1;
    array[j].y = 1;
  }
  __syncthreads();
  if (n >> 1 & 1)
    x += 1.f;
  h = mix(h, bits(x));
  for (unsigned i = 0; i < 33; ++i) {
    h = mix(h, array[i].x);
    h = mix(h, array[i].y);
  }
  out[t] = h;
}
