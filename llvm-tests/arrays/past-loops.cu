// Loops that fill an array keep a product and a sum in blocks of their own. Once the array is registers, the loops are gone,
// and the product, which has other uses, too, is rounded on its own.
//
// RUN: %clang_cuda %s -S -o - | %FileCheck %s --implicit-check-not=fma.rn --implicit-check-not=st.local
// CHECK: .entry past(
// CHECK: mul.rn.f32
// CHECK: add.f32
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
