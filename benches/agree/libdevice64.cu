// libdevice in double precision: built from correctly rounded operations but for the first approximations of quotients
// and roots, which later steps correct.
//
// simt: --kernel libdevice64 --grid 4 --block 96 --arg f64[384]:random:13 --arg f64[9216]:zero
// ulp: 1 1

#include "agree.h"

extern "C" __global__ void libdevice64(const double *in, double *out) {
  unsigned i = global();
  double u = in[i], x = (u - 0.5) * (i % 2 ? 8.0 : 1e6), p = fabs(x) + 1e-9, m = (u - 0.5) * 40.0;
  double *w = out + 24 * i;
  w[0] = sin(x);
  w[1] = cos(x);
  w[2] = tan(x);
  w[3] = exp(m);
  w[4] = exp2(m);
  w[5] = log(p);
  w[6] = log2(p);
  w[7] = log1p(u);
  w[8] = pow(p, m * 0.1);
  w[9] = cbrt(x);
  w[10] = atan2(x, m);
  w[11] = asin(2 * u - 1);
  w[12] = sinh(m);
  w[13] = tanh(m);
  w[14] = erf(m * 0.1);
  w[15] = erfc(m * 0.1);
  w[16] = tgamma(u * 5 + 0.5);
  w[17] = lgamma(p);
  w[18] = hypot(x, m);
  w[19] = rsqrt(p);
  w[20] = expm1(m);
  w[21] = acosh(1 + p);
  w[22] = remainder(x, 0.3);
  w[23] = j0(u);
}
