// A sum is in the block of its product, which has another use, and only what is behind the loops over an array needs it. Once
// these are unrolled, that is the block that ends the function, and LLVM would move the sum there, away from the product: so
// the two are written as one multiply-add.
//
// RUN: %clang_cuda %s -S -o - | %FileCheck %s
// CHECK: .entry leaves(
// CHECK-NOT: .local
// CHECK: fma.rn.f32
static __device__ unsigned bits(float x) { return x != x ? 0x7fc00000u : __float_as_uint(x); }

static __device__ unsigned mix(unsigned h, unsigned v) {
  h = (h ^ v) * 0x9E3779B1u;
  return h ^ (h >> 15);
}

extern "C" __global__ void leaves(unsigned *__restrict__ out, const float *__restrict__ f, const unsigned *__restrict__ in) {
  unsigned t = threadIdx.x;
  float x = f[t] * f[t + 1];
  float y = x + f[t + 2];
  out[t + 64] = bits(x);
  if (in[t] & 8)
    out[t + 9] = 1;
#pragma unroll 1
  for (unsigned j = in[t]; j; j >>= 1)
    out[t + 96 + (j & 7)] = j;
  float a[33];
  for (unsigned j = 0; j < 33; ++j)
    a[j] = f[t + 5];
  unsigned h = mix(7, bits(y));
  for (unsigned j = 0; j < 33; ++j)
    h = mix(h, bits(a[j]));
  out[t] = h;
}
