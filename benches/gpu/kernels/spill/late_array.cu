// Gathers from a window that the first-level cache holds; an array is used once, at the end.
//@ launch grid=1056 block=256
//@ arg field in f32[4194304] range(-1,1,1)
//@ arg index in u32[65536] range(0,1<<32,3)
//@ arg out out f32[threads]
//@ arg rounds i32 200
//@ small grid=2 rounds=8

extern "C" __global__ void late_array_plain(const float *field, const unsigned *index, float *out, int rounds) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum[4] = {0, 0, 0, 0};
  const float *window = field + (blockIdx.x % 128) * 32768;
  for (int i = 0; i < rounds; i++) {
    unsigned r = index[(t + i * 256) & 65535];
    for (int j = 0; j < 4; j++) sum[j] += window[(r >> (j * 4)) & 32767];
  }
  float last[16];
  for (int j = 0; j < 16; j++) last[j] = sum[j & 3] * (j + 1);
  out[t] = last[index[t & 65535] & 15];
}
