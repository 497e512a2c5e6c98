// Gathers from a window that the first-level cache holds, and a sine of each sum.
//@ launch grid=1056 block=256
//@ arg field in f32[4194304] range(-1,1,1)
//@ arg index in u32[65536] range(0,1<<32,3)
//@ arg out out f32[threads]
//@ arg rounds i32 200
//@ small grid=2 rounds=8

extern "C" __global__ void wave_gather_plain(const float *field, const unsigned *index, float *out, int rounds) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  const float *window = field + (blockIdx.x % 128) * 32768;
  for (int i = 0; i < rounds; i++) {
    unsigned r = index[(t + i * 256) & 65535];
    float a = 0;
    for (int j = 0; j < 4; j++) a += window[(r >> (j * 4)) & 32767];
    sum += sinf(a);
  }
  out[t] = sum;
}
