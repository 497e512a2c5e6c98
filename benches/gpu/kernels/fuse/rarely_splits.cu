// Alike sides under a branch that could split any warp and splits few: the data come in runs.
//@ launch grid=1056 block=256
//@ arg in in f32[threads] range(0.5,1.5,1)
//@ arg key in i32[threads] iota(0,1)
//@ arg out out f32[threads]
//@ arg iters i32 300
//@ small grid=2 iters=8
//@ also map

extern "C" __global__ void rarely_splits_plain(const float *in, const int *key, float *out, int iters) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, k = key[t] / 1000;
  float a = in[t], x = a, y = 0.5f;
  for (int i = 0; i < iters; i++) {
    if ((k + i) & 1) x = fmaf(x, y, a) / (y + 2.0f);
    else y = fmaf(y, x, 0.25f) / (x + 3.0f);
  }
  out[t] = x + y;
}
