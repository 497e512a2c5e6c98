// Red-black relaxation of a 64 by 16 tile in shared memory, in double precision; even and odd rows own other columns, and
// the tile's left and right walls differ.
//@ launch grid=264 block=32,16
//@ arg rhs in f64[blocks*1024] range(-1,1,1)
//@ arg init in f64[blocks*1024] range(-1,1,2)
//@ arg out out f64[blocks*1024]
//@ arg sweeps i32 48
//@ arg omega f64 1.5
//@ small grid=1 sweeps=3

extern "C" __global__ __launch_bounds__(512)
void redblack_sor_plain(const double *__restrict__ rhs, const double *__restrict__ init, double *__restrict__ out,
                        int sweeps, double omega) {
  __shared__ double p[18][64], f[18][64];
  int tx = threadIdx.x, ty = threadIdx.y, y = ty + 1, base = blockIdx.x * 1024 + ty * 64;
  for (int x = tx; x < 64; x += 32) {
    p[y][x] = init[base + x];
    f[y][x] = rhs[base + x];
    if (ty == 0) {
      p[0][x] = 0.0;
      p[17][x] = 1.0;
    }
  }
  __syncthreads();
  for (int s = 0; s < 2 * sweeps; s++) {
    if ((s + y) & 1) {
      int x = 2 * tx + 1;
      double e;
      if (x < 63) e = p[y][x + 1];
      else e = p[y][x - 1];
      double r = 0.25 * (p[y][x - 1] + e + p[y - 1][x] + p[y + 1][x] - f[y][x]);
      p[y][x] += omega * (r - p[y][x]);
    } else {
      int x = 2 * tx;
      double w;
      if (x > 0) w = p[y][x - 1];
      else w = 0.5 - p[y][x];
      double r = 0.25 * (w + p[y][x + 1] + p[y - 1][x] + p[y + 1][x] - f[y][x]);
      p[y][x] += omega * (r - p[y][x]);
    }
    __syncthreads();
  }
  for (int x = tx; x < 64; x += 32) out[base + x] = p[y][x];
}
