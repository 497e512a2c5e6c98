// A diamond whose sides begin differently and end alike: a long common tail on different values.
//@ launch grid=1056 block=256
//@ arg in in f32[threads] range(0.5,1.5,1)
//@ arg out out f32[threads]
//@ arg iters i32 300
//@ small grid=2 iters=8
//@ also map

extern "C" __global__ void alike_tails_plain(const float *in, float *out, int iters) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float a = in[t], x = a, y = 1.0f, z = 0.0f;
  for (int i = 0; i < iters; i++) {
    if ((t * 7 + i) & 4) {
      float u = fmaf(x, 0.5f, a);
      u = u / (y + 1.5f);
      u = fmaf(u, u, 0.125f);
      y = fmaf(y, 0.5f, sqrtf(u));
      z = fmaf(z, 0.75f, u);
    } else {
      float u = fmaxf(x, y);
      u = u / (x + 2.5f);
      u = fmaf(u, u, 0.375f);
      x = fmaf(x, 0.25f, sqrtf(u));
      z = fmaf(z, 0.5f, u);
    }
  }
  out[t] = x + y + z;
}
