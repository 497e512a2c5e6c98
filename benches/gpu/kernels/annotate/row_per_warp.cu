// A dense matrix times vectors, a row for each warp: the row's start, its scale and its kind are the warp's.
//@ launch grid=n/8 block=256
//@ arg a in f32[n*m] range(-1,1,1)
//@ arg kind in i32[n] range(0,3,2)
//@ arg x in f32[m] range(-1,1,3)
//@ arg y out f32[32*n]
//@ arg n i32 16384
//@ arg m i32 1024
//@ small n=16 m=64
//@ also map

extern "C" __global__ __launch_bounds__(256)
void row_per_warp_plain(const float *__restrict__ a, const int *__restrict__ kind, const float *__restrict__ x,
                        float *__restrict__ y, int n, int m) {
  int row = blockIdx.x * 8 + (threadIdx.x >> 5), lane = threadIdx.x & 31, k = kind[row];
  float s = 0.0f;
  for (int j = lane; j < m; j += 32) {
    float v = a[row * m + j];
    if (k == 0) s = fmaf(v, x[j], s);
    else if (k == 1) s = fmaxf(s, v * x[j]);
    else s = fmaf(s, 0.5f, v);
  }
  y[row * 32 + lane] = s;
}
