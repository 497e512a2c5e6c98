// Code that LLVM finds dead later must not be melded earlier: the parameters that only it needs would stay, and products that
// callers pass for them would not meet the sums that they meet in clang's build.
//
// RUN: %clang_cuda %s -S -o - | %FileCheck %s --implicit-check-not=param1
// CHECK: call.uni (retval0), {{.*}}chosen{{.*}}, (param0);
static __device__ __noinline__ unsigned chosen(const unsigned *in, unsigned x, float f) {
  unsigned t = threadIdx.x, scratch[5];
  int y = 0;
  for (unsigned i = 0; i < 5; ++i) scratch[i] = i + i;
  if (f < in[5]) y = in[t] / (in[t + 9] | 1);
  if (t == x) {
    if (scratch[t % 5] + y == in[t]) {
    } else if (x == 0) {
      scratch[(t - scratch[t * t % 5]) % 5] = in[2693] / (t | 1);
    } else {
      scratch[(t - scratch[t * t % 5]) % 5] = in[1670];
    }
  } else {
    if (scratch[t % 5] + y == in[t]) {
    } else if (x == 0) {
      scratch[(t - scratch[t * t % 5]) % 5] = in[2693] / (t | 1);
    } else {
      scratch[(t - scratch[t * t % 5]) % 5] = in[1670];
    }
  }
  return t * x;
}

extern "C" __global__ void caller(float *out, const unsigned *in, const float *a) {
  unsigned i = threadIdx.x;
  float v = a[i], factor = a[i + 32];
  if (in[i] & 2) {
    v *= factor;
    v += (float)chosen(in, in[i + 1], v);
  } else {
    v *= factor;
    v += (float)chosen(in, in[i + 1] + 1, v);
  }
  out[i] = v;
}
