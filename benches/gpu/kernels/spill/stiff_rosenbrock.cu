// Stiff kinetics of five species in double precision, one cell per thread: Rosenbrock steps, LU with row pivoting.
//@ launch grid=1024 block=128
//@ arg species inout f64[5*cells] range(0.1,1,1)
//@ arg temperature in f64[cells] range(800,1600,2)
//@ arg cells i32 131000
//@ arg steps i32 24
//@ arg h f64 0.01
//@ small grid=1 cells=120 steps=3

constexpr int N = 5;

static __device__ void rates(const double *y, const double *k, double *f) {
  double r0 = k[0] * y[0], r1 = k[1] * y[1] * y[1], r2 = k[2] * y[1] * y[2];
  double r3 = k[3] * y[2], r4 = k[4] * y[3] * y[1], r5 = k[5] * y[4];
  f[0] = -r0 + r2 + r5;
  f[1] = r0 - r1 - r2 - r4;
  f[2] = r1 - r3;
  f[3] = r3 - r4;
  f[4] = 2 * r4 - r5;
}

static __device__ void jacobian(const double *y, const double *k, double (*J)[N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) J[i][j] = 0;
  J[0][0] = -k[0];
  J[0][1] = k[2] * y[2];
  J[0][2] = k[2] * y[1];
  J[0][4] = k[5];
  J[1][0] = k[0];
  J[1][1] = -2 * k[1] * y[1] - k[2] * y[2] - k[4] * y[3];
  J[1][2] = -k[2] * y[1];
  J[1][3] = -k[4] * y[1];
  J[2][1] = 2 * k[1] * y[1];
  J[2][2] = -k[3];
  J[3][1] = -k[4] * y[3];
  J[3][2] = k[3];
  J[3][3] = -k[4] * y[1];
  J[4][1] = 2 * k[4] * y[3];
  J[4][3] = 2 * k[4] * y[1];
  J[4][4] = -k[5];
}

static __device__ void factor(double (*A)[N], int *pivot) {
  for (int c = 0; c < N; c++) {
    int p = c;
    for (int r = c + 1; r < N; r++)
      if (fabs(A[r][c]) > fabs(A[p][c])) p = r;
    pivot[c] = p;
    if (p != c)
      for (int j = 0; j < N; j++) {
        double swap = A[c][j];
        A[c][j] = A[p][j];
        A[p][j] = swap;
      }
    double inv = 1.0 / A[c][c];
    for (int r = c + 1; r < N; r++) {
      double m = A[r][c] * inv;
      A[r][c] = m;
      for (int j = c + 1; j < N; j++) A[r][j] -= m * A[c][j];
    }
  }
}

static __device__ void solve(const double (*A)[N], const int *pivot, double *b) {
  for (int c = 0; c < N; c++) {
    double swap = b[c];
    b[c] = b[pivot[c]];
    b[pivot[c]] = swap;
  }
  for (int r = 1; r < N; r++)
    for (int j = 0; j < r; j++) b[r] -= A[r][j] * b[j];
  for (int r = N - 1; r >= 0; r--) {
    for (int j = r + 1; j < N; j++) b[r] -= A[r][j] * b[j];
    b[r] /= A[r][r];
  }
}

extern "C" __global__ __launch_bounds__(128, 4)
void stiff_rosenbrock_plain(double *species, const double *temperature, int cells, int steps, double h) {
  int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell >= cells) return;
  const double gamma = 1.7071067811865475;
  double T = temperature[cell];
  double k[6] = {4e2 * exp(-2000 / T), 3e5 * exp(-1500 / T), 1e4 * exp(-700 / T),
                 8e1 * exp(-1200 / T), 2e3 * exp(-900 / T),  5e1 * exp(-2500 / T)};
  double y[N], J[N][N], k1[N], k2[N], mid[N];
  int pivot[N];
  for (int i = 0; i < N; i++) y[i] = species[i * cells + cell];
  for (int step = 0; step < steps; step++) {
    jacobian(y, k, J);
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) J[i][j] = (i == j ? 1.0 : 0.0) - gamma * h * J[i][j];
    factor(J, pivot);
    rates(y, k, k1);
    solve(J, pivot, k1);
    for (int i = 0; i < N; i++) mid[i] = y[i] + h * k1[i];
    rates(mid, k, k2);
    for (int i = 0; i < N; i++) k2[i] -= 2 * k1[i];
    solve(J, pivot, k2);
    for (int i = 0; i < N; i++) y[i] = fmax(y[i] + h * (1.5 * k1[i] + 0.5 * k2[i]), 0.0);
  }
  for (int i = 0; i < N; i++) species[i * cells + cell] = y[i];
}
