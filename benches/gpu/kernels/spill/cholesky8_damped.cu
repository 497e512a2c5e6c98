// Levenberg-Marquardt steps of 8x8 systems in doubles: Cholesky factors for growing damping, until the step is short.
//@ launch grid=1584 block=64
//@ arg matrices in f64[threads*36] range(-1,1,1)
//@ arg rhs in f64[threads*8] range(-1,1,2)
//@ arg step out f64[threads*8]
//@ arg used out i32[threads]
//@ arg tries i32 6
//@ arg radius f64 0.11
//@ small grid=1 tries=3

#define N 8

extern "C" __global__ __launch_bounds__(64)
void cholesky8_damped_plain(const double *matrices, const double *rhs, double *step, int *used, int tries,
                            double radius) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  double A[N][N], L[N][N], x[N];
#pragma unroll 1
  for (int i = 0, at = 0; i < N; i++)
    for (int j = 0; j <= i; j++, at++) {
      double value = matrices[at * threads + t] + (i == j ? 8.0 : 0.0);
      A[i][j] = value;
      A[j][i] = value;
    }
  double damping = 0;
  int n = 0;
  for (; n < tries; n++) {
#pragma unroll 1
    for (int j = 0; j < N; j++) {
      double sum = A[j][j] + damping;
      for (int k = 0; k < j; k++) sum -= L[j][k] * L[j][k];
      double root = sqrt(sum);
      L[j][j] = root;
      for (int i = j + 1; i < N; i++) {
        double entry = A[i][j];
        for (int k = 0; k < j; k++) entry -= L[i][k] * L[j][k];
        L[i][j] = entry / root;
      }
    }
#pragma unroll 1
    for (int i = 0; i < N; i++) {
      double sum = rhs[i * threads + t];
      for (int k = 0; k < i; k++) sum -= L[i][k] * x[k];
      x[i] = sum / L[i][i];
    }
    double length = 0;
#pragma unroll 1
    for (int i = N - 1; i >= 0; i--) {
      double sum = x[i];
      for (int k = i + 1; k < N; k++) sum -= L[k][i] * x[k];
      x[i] = sum / L[i][i];
      length += x[i] * x[i];
    }
    if (length < radius * radius) break;
    damping = damping * 2 + 1;
  }
  for (int i = 0; i < N; i++) step[i * threads + t] = x[i];
  used[t] = n;
}
