// Monte Carlo estimate of a quarter circle's area with an xorshift1024* generator per thread.
//@ launch grid=704 block=192
//@ arg seeds in u64[threads*16] range(1,1<<48,1)
//@ arg inside out u32[threads]
//@ arg last out u64[threads]
//@ arg samples i32 500
//@ small grid=1 samples=40

extern "C" __global__ void xorshift1024_pi_plain(const unsigned long long *seeds, unsigned *inside,
                                                 unsigned long long *last, int samples) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  unsigned long long state[16];
  for (int i = 0; i < 16; i++) state[i] = seeds[i * threads + t] * 0x9e3779b97f4a7c15ull;
  unsigned p = t & 15, hits = 0;
  unsigned long long r = 0;
  for (int i = 0; i < samples; i++) {
    unsigned long long s0 = state[p];
    p = (p + 1) % 16;
    unsigned long long s1 = state[p];
    s1 ^= s1 << 31;
    s1 = s1 ^ s0 ^ s1 >> 11 ^ s0 >> 30;
    state[p] = s1;
    r = s1 * 1181783497276652981ull;
    float x = (float)(r >> 40) * (1.0f / 16777216), y = (float)((unsigned)r >> 8) * (1.0f / 16777216);
    if (x * x + y * y < 1) hits++;
  }
  inside[t] = hits;
  last[t] = r;
}
