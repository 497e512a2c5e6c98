// The absolute value of a square, for which ptxas takes the square itself, and then joins it with the sum if nothing is between the
// two. Clang squares on several ways, and adds behind them; so the branch stays, and with it what is between.
//
// RUN: %clang_cuda %s -S -o - | %FileCheck %s
// CHECK: .entry squares(
// CHECK-COUNT-2: mul.f32
// CHECK: abs.f32
// CHECK: ret
static __device__ __forceinline__ float side(float x, unsigned t, unsigned v, const float *f, float w) {
  if (v & 1)
    x = f[t * 11 + 3];
  else if (v == 2)
    x = f[t + 6];
  else if (v & 32)
    x = (x + 1e-3f) + ((float)(t & 65535) + x);
  return fabsf(x * x) + fmaf(f[blockIdx.x + 49], w, f[v + v]);
}

extern "C" __global__ void squares(unsigned *__restrict__ out, const unsigned *__restrict__ in, const float *__restrict__ f, float w) {
  unsigned t = threadIdx.x, v = in[blockIdx.x] ^ t;
  float x = w - f[t];
  if (t & 1)
    x = side(x, t, v, f, w);
  else
    x = side(x, t, v, f, w);
  out[t] = __float_as_uint(x);
}
