// The absolute value of a square, for which ptxas takes the square itself, and then joins it with the sum if nothing is between the
// two. Clang squares on several ways, and adds behind them; so the branch stays, and with it what is between.
//
// RUN: %clang_cuda %s -S -o - | %FileCheck %s
// CHECK: .entry squares(
// CHECK-COUNT-2: mul.f32
// CHECK: abs.f32
// CHECK: ret
extern "C" __global__ void squares(unsigned *__restrict__ out, const unsigned *__restrict__ in, const float *__restrict__ f, float w) {
  unsigned t = threadIdx.x, v = in[blockIdx.x] ^ t;
  float x = w - f[t];
  if (t & 1) {
    if (v & 1)
      x = f[t * 11 + 3];
    else if (v == 2)
      x = f[t + 6];
    else if (v & 32)
      x = (x + 1e-3f) + ((float)(t & 65535) + x);
    x = fabsf(x * x) + fmaf(f[blockIdx.x + 49], w, f[v + v]);
  } else {
    if (v & 1)
      x = f[t * 11 + 3];
    else if (v == 2)
      x = f[t + 6];
    else if (v & 32)
      x = (x + 1e-3f) + ((float)(t & 65535) + x);
    x = fabsf(x * x) + fmaf(f[blockIdx.x + 49], w, f[v + v]);
  }
  out[t] = __float_as_uint(x);
}
