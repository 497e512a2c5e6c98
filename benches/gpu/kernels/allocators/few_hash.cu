// Twelve words of hash state, constants too large for an instruction, and a key schedule the same for all lanes.
//@ launch grid=1056 block=256
//@ arg key in u32[24] range(0,1<<32,1)
//@ arg in in u32[threads] range(0,1<<32,2)
//@ arg out out u32[threads]
//@ arg rounds i32 200
//@ small grid=2 rounds=6
//@ regs 24

extern "C" __global__ void few_hash_plain(const unsigned *key, const unsigned *in, unsigned *out, int rounds) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v[12], k[12], h = 0;
#pragma unroll
  for (int j = 0; j < 12; j++) {
    v[j] = in[t] * (2 * j + 1);
    k[j] = key[j] * key[12 + j];
  }
#pragma unroll 1
  for (int r = 0; r < rounds; r++)
#pragma unroll
    for (int j = 0; j < 12; j++) {
      unsigned a = v[(j + 3) % 12] + k[j] + (0x9e3779b9u ^ j * 0x01000193u);
      v[j] = (v[j] << (j + 5) | v[j] >> (27 - j)) ^ a;
    }
#pragma unroll
  for (int j = 0; j < 12; j++) h = h * 31 + v[j];
  out[t] = h;
}
