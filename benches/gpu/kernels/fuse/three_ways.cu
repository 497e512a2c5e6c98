// A chain of if, else if, else with three alike sides.
//@ launch grid=1056 block=256
//@ arg in in f32[threads] range(0.5,1.5,1)
//@ arg out out f32[threads]
//@ arg iters i32 150
//@ small grid=2 iters=8

extern "C" __global__ void three_ways_plain(const float *in, float *out, int iters) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float v = in[t], x = v, y = 0.5f, z = 0.25f;
  for (int i = 0; i < iters; i++) {
    int way = (t + i) % 3;
    if (way == 0) x = fmaf(y, z, v) / (x + 1.0f);
    else if (way == 1) y = fmaf(z, x, 2.0f) / (y + 2.0f);
    else z = fmaf(x, y, 3.0f) / (z + 3.0f);
  }
  out[t] = x + y + z;
}

extern "C" __global__ void three_ways_by_hand(const float *in, float *out, int iters) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float v = in[t], x = v, y = 0.5f, z = 0.25f;
  for (int i = 0; i < iters; i++) {
    int way = (t + i) % 3;
    bool a = way == 0, b = way == 1;
    float k = a ? 1.0f : b ? 2.0f : 3.0f;
    float r = fmaf(a ? y : b ? z : x, a ? z : b ? x : y, a ? v : k) / ((a ? x : b ? y : z) + k);
    x = a ? r : x;
    y = b ? r : y;
    z = a || b ? z : r;
  }
  out[t] = x + y + z;
}
