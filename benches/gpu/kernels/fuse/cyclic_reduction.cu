// Tridiagonal systems by cyclic reduction, forwards: the first row of each step has no neighbour above, and its side of
// the branch holds the same pair of double divisions with one of them left out.
//@ launch grid=2112 block=128
//@ arg a in f64[256*blocks] range(0.1,0.4,1)
//@ arg b in f64[256*blocks] range(2,3,2)
//@ arg c in f64[256*blocks] range(0.1,0.4,3)
//@ arg d inout f64[256*blocks] range(-1,1,4)
//@ small grid=2
//@ also map

constexpr int N = 256;

extern "C" __global__ __launch_bounds__(128)
void cyclic_reduction_plain(const double *a, const double *b, const double *c, double *d) {
  __shared__ double sa[N], sb[N], sc[N], sd[N];
  int me = threadIdx.x, base = blockIdx.x * N;
  for (int i = me; i < N; i += 128) {
    sa[i] = a[base + i];
    sb[i] = b[base + i];
    sc[i] = c[base + i];
    sd[i] = d[base + i];
  }
  for (int step = 1; step < N; step *= 2) {
    __syncthreads();
    int i = 2 * step * me + 2 * step - 1, up = i - step, down = i + step;
    if (i < N) {
      if (down < N) {
        double k1 = sa[i] / sb[up], k2 = sc[i] / sb[down];
        sb[i] = fma(-sc[up], k1, fma(-sa[down], k2, sb[i]));
        sd[i] = fma(-sd[up], k1, fma(-sd[down], k2, sd[i]));
        sa[i] = -sa[up] * k1;
        sc[i] = -sc[down] * k2;
      } else {
        double k1 = sa[i] / sb[up];
        sb[i] = fma(-sc[up], k1, sb[i]);
        sd[i] = fma(-sd[up], k1, sd[i]);
        sa[i] = -sa[up] * k1;
        sc[i] = 0.0;
      }
    }
  }
  __syncthreads();
  for (int i = me; i < N; i += 128) d[base + i] = sd[i] / sb[i];
}
