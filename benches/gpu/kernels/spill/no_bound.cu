// A local array in a kernel that says nothing of its block's size, as most do.
//@ launch grid=2112 block=128
//@ arg idx in u32[65536] range(0,1<<32,1)
//@ arg in in f32[65536] range(-1,1,2)
//@ arg out out f32[threads]
//@ arg iters i32 500
//@ small grid=2 iters=20

extern "C" __global__ void no_bound_plain(const unsigned *idx, const float *in, float *out, int iters) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float h[12];
  for (int j = 0; j < 12; j++) h[j] = in[(t + j) & 65535];
  for (int i = 0; i < iters; i++) {
    unsigned r = idx[(t * 7 + i) & 65535];
    h[r % 12] = fmaf(h[(r >> 8) % 12], 0.5f, 1.0f);
  }
  float s = 0;
  for (int j = 0; j < 12; j++) s += h[j];
  out[t] = s;
}

extern "C" __global__ void no_bound_by_hand(const unsigned *idx, const float *in, float *out, int iters) {
  __shared__ float h[12][256];
  int t = blockIdx.x * blockDim.x + threadIdx.x, me = threadIdx.x;
  for (int j = 0; j < 12; j++) h[j][me] = in[(t + j) & 65535];
  for (int i = 0; i < iters; i++) {
    unsigned r = idx[(t * 7 + i) & 65535];
    h[r % 12][me] = fmaf(h[(r >> 8) % 12][me], 0.5f, 1.0f);
  }
  float s = 0;
  for (int j = 0; j < 12; j++) s += h[j][me];
  out[t] = s;
}
