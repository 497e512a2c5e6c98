// Fourth-order Runge-Kutta for an ensemble of Lorenz-96 systems with eight variables in doubles.
//@ launch grid=528 block=256
//@ arg start in f64[threads*8] range(-4,8,1)
//@ arg end out f64[threads*8]
//@ arg variables i32 8
//@ arg steps i32 20
//@ arg h f64 0.01
//@ arg force f64 8
//@ small grid=1 steps=4

#define MAX_VARIABLES 8

__device__ inline void slope(const double *y, double *dy, int n, double force) {
  for (int i = 0; i < n; i++) {
    int next = i + 1 < n ? i + 1 : 0, previous = i > 0 ? i - 1 : n - 1, before = previous > 0 ? previous - 1 : n - 1;
    dy[i] = (y[next] - y[before]) * y[previous] - y[i] + force;
  }
}

extern "C" __global__ void lorenz96_rk4_plain(const double *start, double *end, int variables, int steps, double h,
                                              double force) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  double y[MAX_VARIABLES], u[MAX_VARIABLES];
  double k1[MAX_VARIABLES], k2[MAX_VARIABLES], k3[MAX_VARIABLES], k4[MAX_VARIABLES];
  int n = variables;
  for (int i = 0; i < n; i++) y[i] = start[t * n + i];
  for (int step = 0; step < steps; step++) {
    slope(y, k1, n, force);
    for (int i = 0; i < n; i++) u[i] = y[i] + 0.5 * h * k1[i];
    slope(u, k2, n, force);
    for (int i = 0; i < n; i++) u[i] = y[i] + 0.5 * h * k2[i];
    slope(u, k3, n, force);
    for (int i = 0; i < n; i++) u[i] = y[i] + h * k3[i];
    slope(u, k4, n, force);
    for (int i = 0; i < n; i++) y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  for (int i = 0; i < n; i++) end[t * n + i] = y[i];
}
