// Barriers: of the block, of a warp, with a vote, and phases of shared memory between them; dynamic shared memory.
//
// simt: --kernel barriers --grid 4 --block 160 --dynamic-shared 1280 --arg i32[640]:random:14 --arg u32[2560]:zero
// simt: --kernel barriers --grid 2 --block 32,3,2 --dynamic-shared 1536 --arg i32[384]:random:15 --arg u32[1536]:zero

#include "agree.h"

extern __shared__ unsigned dynamic[];

extern "C" __global__ void barriers(const int *in, unsigned *out) {
  __shared__ unsigned fixed[192];
  unsigned i = global(), t = linear(), threads = blockDim.x * blockDim.y * blockDim.z;
  unsigned v = in[i];
  unsigned *mine = out + 4 * i;
  dynamic[t] = v;
  fixed[t] = ~v;
  __syncthreads();
  unsigned sum = dynamic[(t + 1) % threads] + fixed[(t * 7) % threads];
  for (int round = 0; round < 4; ++round) {
    __syncthreads();
    dynamic[threads + t] = sum;
    __syncthreads();
    sum += dynamic[threads + (t ^ 1 << round) % threads];
  }
  mine[0] = sum;
  mine[1] = __syncthreads_count(v & 1) + 1000 * __syncthreads_or(v == 5) + 2000 * __syncthreads_and(v != 6);
  // Each warp by itself.
  unsigned base = t / 32 * 32;
  for (int half = 16; half > 0; half /= 2) {
    __syncwarp();
    unsigned other = fixed[base + (t % 32 ^ half)];
    __syncwarp();
    fixed[t] += other;
  }
  mine[2] = fixed[t];
  // Warps of two kinds between barriers of the block.
  if (t / 32 % 2)
    dynamic[t] = scramble(v);
  else
    dynamic[t] = v * 3;
  __syncthreads();
  mine[3] = dynamic[threads - 1 - t];
}
