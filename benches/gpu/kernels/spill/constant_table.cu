// A table that holds the same constants in every thread, written by the code and never changed: a constant would do.
//@ launch grid=1056 block=256
//@ arg in in u32[threads] range(0,1<<32,1)
//@ arg out out u32[threads]
//@ arg rounds i32 2000
//@ small grid=2 rounds=20

extern "C" __global__ __launch_bounds__(256)
void constant_table_plain(const unsigned *in, unsigned *out, int rounds) {
  unsigned table[16];
#pragma unroll
  for (int i = 0; i < 16; i++) table[i] = i * 0x9e3779b9u ^ i << 7;
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned h = in[t];
  for (int i = 0; i < rounds; i++) h = (h >> 4) ^ table[h & 15] ^ i;
  out[t] = h;
}

__constant__ unsigned shared_by_all[16] = {
    0x00000000u, 0x9e3779b9u ^ 1u << 7, 2 * 0x9e3779b9u ^ 2u << 7, 3 * 0x9e3779b9u ^ 3u << 7,
    4 * 0x9e3779b9u ^ 4u << 7, 5 * 0x9e3779b9u ^ 5u << 7, 6 * 0x9e3779b9u ^ 6u << 7, 7 * 0x9e3779b9u ^ 7u << 7,
    8 * 0x9e3779b9u ^ 8u << 7, 9 * 0x9e3779b9u ^ 9u << 7, 10 * 0x9e3779b9u ^ 10u << 7, 11 * 0x9e3779b9u ^ 11u << 7,
    12 * 0x9e3779b9u ^ 12u << 7, 13 * 0x9e3779b9u ^ 13u << 7, 14 * 0x9e3779b9u ^ 14u << 7, 15 * 0x9e3779b9u ^ 15u << 7};

extern "C" __global__ __launch_bounds__(256)
void constant_table_by_hand(const unsigned *in, unsigned *out, int rounds) {
  __shared__ unsigned table[16];
  if (threadIdx.x < 16) table[threadIdx.x] = shared_by_all[threadIdx.x];
  __syncthreads();
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned h = in[t];
  for (int i = 0; i < rounds; i++) h = (h >> 4) ^ table[h & 15] ^ i;
  out[t] = h;
}
