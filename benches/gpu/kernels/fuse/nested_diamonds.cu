// Diamonds inside the sides of a diamond, alike pair by pair.
//@ launch grid=1056 block=256
//@ arg in in f32[threads] range(0.5,1.5,1)
//@ arg out out f32[threads]
//@ arg iters i32 200
//@ small grid=2 iters=8
//@ also map

extern "C" __global__ void nested_diamonds_plain(const float *in, float *out, int iters) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float a = in[t], x = a, y = 0.75f;
  for (int i = 0; i < iters; i++) {
    if ((t + i) & 1) {
      float p = fmaf(x, y, a);
      if ((t + i) & 2) x = p / (y + 1.0f);
      else x = p / (y + 2.0f);
      y = fmaf(y, 0.5f, 0.25f);
    } else {
      float p = fmaf(y, y, 0.25f);
      if ((t + i) & 2) y = p / (x + 3.0f);
      else y = p / (x + 4.0f);
      x = fmaf(x, 0.5f, 0.75f);
    }
  }
  out[t] = x - y;
}

extern "C" __global__ void nested_diamonds_by_hand(const float *in, float *out, int iters) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float a = in[t], x = a, y = 0.75f;
  for (int i = 0; i < iters; i++) {
    bool c = (t + i) & 1, d = (t + i) & 2;
    float p = fmaf(c ? x : y, y, c ? a : 0.25f);
    float q = p / ((c ? y : x) + (c ? (d ? 1.0f : 2.0f) : (d ? 3.0f : 4.0f)));
    float r = fmaf(c ? y : x, 0.5f, c ? 0.25f : 0.75f);
    x = c ? q : r;
    y = c ? r : q;
  }
  out[t] = x - y;
}
