// Sides that are alike under a branch that the warp takes as one: there is nothing to win by melding them.
//@ launch grid=1056 block=256
//@ arg in in f32[threads] range(0.5,1.5,1)
//@ arg way in i32[1024] range(0,2,2)
//@ arg out out f32[threads]
//@ arg iters i32 1000
//@ small grid=2 iters=8
//@ also map

extern "C" __global__ void uniform_sides_plain(const float *in, const int *way, float *out, int iters) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float a = in[t], x = a, y = 0.5f;
  for (int i = 0; i < iters; i++) {
    if (way[i]) x = fmaf(x, y, a) / (y + 2.0f);
    else y = fmaf(y, x, 0.25f) / (x + 3.0f);
  }
  out[t] = x + y;
}
