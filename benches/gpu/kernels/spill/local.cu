// A dynamically indexed local array lives in local memory. With the block size known it fits in shared memory,
// word-interleaved, so every lane stays in its own bank whatever its index.
//@ launch grid=2112 block=256
//@ arg idx in i32[1<<20] range(0,1<<30,1)
//@ arg in in f32[1<<20] range(-1,1,2)
//@ arg out out f32[threads]
//@ arg iters i32 500
//@ small grid=2 iters=40

extern "C" __global__ __launch_bounds__(256)
void local_plain(const int *idx, const float *in, float *out, int iters) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float h[16];
  for (int j = 0; j < 16; j++) h[j] = in[(t + j) & 0xfffff];
  for (int i = 0; i < iters; i++) {
    int k = idx[(t * 7 + i) & 0xfffff] & 15;
    h[k] = h[(k + 5) & 15] * 0.5f + 1.0f;
  }
  float s = 0;
  for (int j = 0; j < 16; j++) s += h[j];
  out[t] = s;
}

extern "C" __global__ __launch_bounds__(256)
void local_by_hand(const int *idx, const float *in, float *out, int iters) {
  __shared__ float h[16][256];
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 16; j++) h[j][threadIdx.x] = in[(t + j) & 0xfffff];
  for (int i = 0; i < iters; i++) {
    int k = idx[(t * 7 + i) & 0xfffff] & 15;
    h[k][threadIdx.x] = h[(k + 5) & 15][threadIdx.x] * 0.5f + 1.0f;
  }
  float s = 0;
  for (int j = 0; j < 16; j++) s += h[j][threadIdx.x];
  out[t] = s;
}
