// Row i = 0 and the other rows of a parallel cyclic reduction: each side has its two double divisions.
//@ launch grid=1056 block=256
//@ arg a in f64[256] range(0.1,0.4,1)
//@ arg b in f64[256] range(2,3,2)
//@ arg d inout f64[threads] range(-1,1,4)
//@ small grid=2
//@ also map

extern "C" __global__ __launch_bounds__(256)
void first_row_plain(const double *a, const double *b, double *d) {
  __shared__ double sd[256];
  int i = threadIdx.x, t = blockIdx.x * 256 + i;
  double x = d[t];
  for (int step = 1; step < 256; step *= 2) {
    sd[i] = x;
    __syncthreads();
    if ((i & (2 * step - 1)) == 0) {
      double k = a[i] / b[i], m = sd[(i + step) & 255] / b[(i + step) & 255];
      x = fma(-k, m, x);
    } else {
      double k = a[i] / b[i - 1], m = sd[i - 1] / b[i];
      x = fma(k, m, 0.5 * x);
    }
    __syncthreads();
  }
  d[t] = x;
}

extern "C" __global__ __launch_bounds__(256)
void first_row_by_hand(const double *a, const double *b, double *d) {
  __shared__ double sd[256];
  int i = threadIdx.x, t = blockIdx.x * 256 + i;
  double x = d[t];
  for (int step = 1; step < 256; step *= 2) {
    sd[i] = x;
    __syncthreads();
    bool first = (i & (2 * step - 1)) == 0;
    int up = first ? (i + step) & 255 : i - 1;
    double k = a[i] / b[first ? i : i - 1], m = sd[up] / b[first ? up : i];
    x = fma(first ? -k : k, m, first ? x : 0.5 * x);
    __syncthreads();
  }
  d[t] = x;
}
