// Twenty-six values that no two lanes share, all live through the loop.
//@ launch grid=1056 block=256
//@ arg in in u32[65536] range(0,1<<32,1)
//@ arg out out u32[threads]
//@ arg iters i32 300
//@ small grid=2 iters=6
//@ regs 24

constexpr int N = 26;

extern "C" __global__ void few_divergent_plain(const unsigned *in, unsigned *out, int iters) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v[N], s = 0;
#pragma unroll
  for (int j = 0; j < N; j++) v[j] = in[(t * 3 + j) & 65535];
#pragma unroll 1
  for (int it = 0; it < iters; it++)
#pragma unroll
    for (int j = 0; j < N; j++) v[j] = (v[(j + 5) % N] ^ v[j] >> 3) + v[(j + 11) % N];
#pragma unroll
  for (int j = 0; j < N; j++) s = s * 31 + v[j];
  out[t] = s;
}
