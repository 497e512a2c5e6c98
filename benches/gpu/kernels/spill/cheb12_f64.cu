// Chebyshev series with twelve coefficients from memory: value, slope and root refinement at many points per thread.
//@ launch grid=528 block=256
//@ arg coef in f64[12] range(-0.5,0.5,1)
//@ arg x in f64[threads+2048] range(-1,1,2)
//@ arg sum out f64[threads]
//@ arg slope out f64[threads]
//@ arg worst out f64[threads]
//@ arg count i32 120
//@ arg newton i32 2
//@ small grid=1 count=6

extern "C" __global__ __launch_bounds__(256, 6)
void cheb12_f64_plain(const double *__restrict__ coef, const double *__restrict__ x, double *__restrict__ sum,
                      double *__restrict__ slope, double *__restrict__ worst, int count, int newton) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  double c[12];
#pragma unroll
  for (int i = 0; i < 12; i++) c[i] = coef[i];
  double total = 0, slopes = 0, most = 0;
  for (int i = 0; i < count; i++) {
    double at = x[t + (i * 37 & 2047)];
    double f = 0, d = 0;
    for (int r = 0; r < newton; r++) {
      double u = 2 * at, b1 = 0, b2 = 0, e1 = 0, e2 = 0;
#pragma unroll
      for (int k = 11; k > 0; k--) {
        double b0 = c[k] + u * b1 - b2, e0 = 2 * b1 + u * e1 - e2;
        b2 = b1, b1 = b0;
        e2 = e1, e1 = e0;
      }
      f = c[0] + at * b1 - b2;
      d = b1 + at * e1 - e2;
      if (fabs(d) > 0.5) {
        double next = at - 0.5 * f / d;
        at = fmin(1.0, fmax(-1.0, next));
      }
    }
    total += f;
    slopes += d;
    most = fmax(most, fabs(f));
  }
  sum[t] = total;
  slope[t] = slopes;
  worst[t] = most;
}
