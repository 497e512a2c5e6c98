// Implicit diffusion step: Thomas algorithm on four interleaved systems per thread, in double precision.
//@ launch grid=792 block=128
//@ arg rhs inout f64[threads*4*n] range(0,1,1)
//@ arg work out f64[threads*4*n]
//@ arg kappa in f64[threads*4] range(0.1,2,2)
//@ arg spacing in f64[n+1] range(0.5,1.5,3)
//@ arg dt f64 0.25
//@ arg n i32 24
//@ arg steps i32 2
//@ small grid=2 n=7 steps=1

extern "C" __global__ __launch_bounds__(128, 10)
void tridiag_adi4_plain(double *__restrict__ rhs, double *__restrict__ work, const double *__restrict__ kappa,
                        const double *__restrict__ spacing, double dt, int n, int steps) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x, total = gridDim.x * blockDim.x;
  const int pitch = total * 4;
  double k[4];
#pragma unroll
  for (int s = 0; s < 4; s++) k[s] = dt * kappa[s * total + t];
  for (int step = 0; step < steps; step++) {
    double cp[4] = {0, 0, 0, 0}, dp[4] = {0, 0, 0, 0};
    double h0 = spacing[0];
    for (int i = 0; i < n; i++) {
      double h1 = spacing[i + 1], mid = 2.0 / (h0 + h1);
      double lo = i > 0 ? mid / h0 : 0.0, up = i < n - 1 ? mid / h1 : 0.0;
#pragma unroll
      for (int s = 0; s < 4; s++) {
        double a = -k[s] * lo, c = -k[s] * up, b = 1.0 - a - c;
        double inv = 1.0 / (b - a * cp[s]);
        cp[s] = c * inv;
        dp[s] = (rhs[i * pitch + s * total + t] - a * dp[s]) * inv;
        work[i * pitch + s * total + t] = cp[s];
        rhs[i * pitch + s * total + t] = dp[s];
      }
      h0 = h1;
    }
    for (int i = n - 2; i >= 0; i--) {
#pragma unroll
      for (int s = 0; s < 4; s++) {
        dp[s] = rhs[i * pitch + s * total + t] - work[i * pitch + s * total + t] * dp[s];
        rhs[i * pitch + s * total + t] = dp[s];
      }
    }
  }
}
