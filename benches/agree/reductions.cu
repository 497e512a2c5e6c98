// Sums and maxima three ways: in shared memory, by shuffles, by redux; the last warp of a block is partial in one launch.
//
// simt: --kernel reductions --grid 7 --block 256 --arg i32[1792]:random:1 --arg u32[21]:zero --arg u32[8]:zero
// simt: --kernel reductions --grid 3 --block 8,4,8 --arg i32[768]:random:2 --arg u32[9]:zero --arg u32[8]:zero
// counts: 2

#include "agree.h"

extern "C" __global__ void reductions(const int *in, unsigned *out, unsigned *counts) {
  __shared__ unsigned tree[256], partial[8];
  unsigned t = linear(), threads = blockDim.x * blockDim.y * blockDim.z;
  unsigned value = in[global()];
  tree[t] = value;
  __syncthreads();
  for (unsigned half = threads / 2; half > 0; half /= 2) {
    if (at(counts, 0, t < half))
      tree[t] += tree[t + half];
    __syncthreads();
  }
  unsigned sum = value;
  for (int half = 16; half > 0; half /= 2)
    sum += __shfl_down_sync(~0u, sum, half);
  if (at(counts, 1, t % 32 == 0))
    partial[t / 32] = sum;
  __syncthreads();
  if (at(counts, 2, t < 32)) {
    unsigned all = t < threads / 32 ? partial[t] : 0;
    for (int half = 4; half > 0; half /= 2)
      all += __shfl_xor_sync(~0u, all, half);
    if (at(counts, 3, t == 0))
      out[3 * block()] = all;
  }
  if (t == 0)
    out[3 * block() + 1] = tree[0];
  unsigned largest = __reduce_max_sync(~0u, value) ^ __reduce_add_sync(~0u, value) ^ __reduce_xor_sync(~0u, value);
  if (t % 32 == 0)
    atomicAdd(&out[3 * block() + 2], largest);
}
