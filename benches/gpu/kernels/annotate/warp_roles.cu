// Eight warps of a block with a job each, told apart by the thread's number: no warp ever splits.
//@ launch grid=1056 block=256
//@ arg in in f32[threads] range(0.5,1.5,1)
//@ arg out out f32[threads]
//@ arg iters i32 200
//@ small grid=2 iters=6
//@ also map

extern "C" __global__ __launch_bounds__(256)
void warp_roles_plain(const float *in, float *out, int iters) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, role = threadIdx.x >> 5;
  float x = in[t], a = x, b = 0.5f;
  for (int i = 0; i < iters; i++) {
    int job = (role + i) & 7;
    if (job < 2) {
      if (job == 0) a = fmaf(a, 0.5f, x);
      else a = a / (b + 1.5f);
    } else if (job < 4) {
      if (job == 2) b = fmaf(b, 0.5f, 0.25f * a);
      else b = b / (a + 2.5f);
    } else if (job < 6) {
      if (job == 4) a = sqrtf(fmaf(a, a, 0.5f));
      else b = fminf(a, b) + 0.125f;
    } else {
      if (job == 6) a = fmaxf(a, b) * 0.5f;
      else b = fmaf(b, 0.25f, x);
    }
  }
  out[t] = a + b;
}

extern "C" __global__ __launch_bounds__(256)
void warp_roles_by_hand(const float *in, float *out, int iters) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, role = __shfl_sync(0xffffffffu, threadIdx.x >> 5, 0);
  float x = in[t], a = x, b = 0.5f;
  for (int i = 0; i < iters; i++) {
    int job = (role + i) & 7;
    if (job < 2) {
      if (job == 0) a = fmaf(a, 0.5f, x);
      else a = a / (b + 1.5f);
    } else if (job < 4) {
      if (job == 2) b = fmaf(b, 0.5f, 0.25f * a);
      else b = b / (a + 2.5f);
    } else if (job < 6) {
      if (job == 4) a = sqrtf(fmaf(a, a, 0.5f));
      else b = fminf(a, b) + 0.125f;
    } else {
      if (job == 6) a = fmaxf(a, b) * 0.5f;
      else b = fmaf(b, 0.25f, x);
    }
  }
  out[t] = a + b;
}
