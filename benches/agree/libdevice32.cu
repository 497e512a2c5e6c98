// libdevice in single precision, over small, moderate and large arguments. Most of it is built from operations that are
// rounded correctly, so it agrees to the last bit; what rests on the hardware's ex2, lg2, sin or rsqrt approximations is
// in the second array.
//
// simt: --kernel libdevice32 --grid 8 --block 128 --arg f32[1024]:random:12 --arg f32[16384]:zero --arg f32[16384]:zero
// ulp: 2 2

#include "agree.h"

extern "C" __global__ void libdevice32(const float *in, float *exact, float *near) {
  unsigned i = global();
  float u = in[i];                                            // in [0, 1)
  float x = (u - 0.5f) * (i % 3 == 0 ? 4.0f : i % 3 == 1 ? 60.0f : 200000.0f);
  float p = fabsf(x) + 1e-6f, m = (u - 0.5f) * 30.0f;
  float *e = exact + 16 * i, *n = near + 16 * i;
  e[0] = sinf(x);
  e[1] = cosf(x);
  e[2] = tanf(x);
  e[3] = logf(p);
  e[4] = log2f(p);
  e[5] = log1pf(u);
  e[6] = atanf(x);
  e[7] = atan2f(x, m);
  e[8] = asinf(2 * u - 1);
  e[9] = acosf(2 * u - 1);
  e[10] = erff(m * 0.1f);
  e[11] = hypotf(x, m);
  e[12] = remainderf(x, 0.3f);
  e[13] = roundf(x) + logbf(p);
  e[14] = asinhf(x);
  e[15] = log10f(p);
  n[0] = expf(m);
  n[1] = exp2f(m);
  n[2] = exp10f(m * 0.3f);
  n[3] = expm1f(m);
  n[4] = powf(p, m * 0.1f);
  n[5] = sinhf(m);
  n[6] = coshf(m);
  n[7] = tanhf(m);
  n[8] = cbrtf(x);
  n[9] = rsqrtf(p);
  n[10] = erfcf(m * 0.1f);
  n[11] = lgammaf(fabsf(m) + 0.1f);
  n[12] = tgammaf(u * 5 + 0.5f);
  n[13] = erfcxf(u);
  n[14] = j0f(u);
  n[15] = normcdff(m * 0.1f);
}
