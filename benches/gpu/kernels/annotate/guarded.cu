// The guard of nearly every kernel, and after it branches that are the warp's or the block's.
//@ launch grid=(n+255)/256 block=256
//@ arg in in f32[n] range(-1,1,1)
//@ arg mode in i32[blocks*8] range(0,4,2)
//@ arg out out f32[n]
//@ arg n i32 8000009
//@ small n=1001
//@ also map

extern "C" __global__ __launch_bounds__(256)
void guarded_plain(const float *in, const int *mode, float *out, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  float v = in[t];
  int m = mode[blockIdx.x * 8 + threadIdx.x / 32];
  for (int i = 0; i < 16; i++) {
    if (m == 0) v = fmaf(v, 0.5f, 0.25f);
    else if (m == 1) v = v / fmaf(v, v, 1.5f);
    else if (m == 2) v = fmaf(v, v, -0.75f);
    m = (m + 1) & 3;
  }
  out[t] = v;
}
