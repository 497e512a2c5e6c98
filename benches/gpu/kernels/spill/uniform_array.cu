// A table that all threads fill alike and each reads at its own place: one copy for the warp would do.
//@ launch grid=1056 block=256
//@ arg coef in f32[64] range(-1,1,1)
//@ arg pick in u32[65536] range(0,1<<32,2)
//@ arg out out f32[threads]
//@ arg rounds i32 1000
//@ small grid=2 rounds=20

extern "C" __global__ __launch_bounds__(256)
void uniform_array_plain(const float *coef, const unsigned *pick, float *out, int rounds) {
  float table[32];
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < 32; i++) table[i] = coef[i] * coef[32 + i];
  float s = 0;
  for (int i = 0; i < rounds; i++) {
    unsigned r = pick[(t * 3 + i) & 65535];
    s = fmaf(s, 0.5f, table[r & 31] + table[r >> 5 & 31]);
  }
  out[t] = s;
}

extern "C" __global__ __launch_bounds__(256)
void uniform_array_by_hand(const float *coef, const unsigned *pick, float *out, int rounds) {
  __shared__ float table[8][32];
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float *mine = table[threadIdx.x >> 5];
  for (int i = 0; i < 32; i++) mine[i] = coef[i] * coef[32 + i];
  __syncwarp();
  float s = 0;
  for (int i = 0; i < rounds; i++) {
    unsigned r = pick[(t * 3 + i) & 65535];
    s = fmaf(s, 0.5f, mine[r & 31] + mine[r >> 5 & 31]);
  }
  out[t] = s;
}
