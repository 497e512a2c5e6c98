// What the programs share: the index of a thread, bits to chew on, and counters of branches.
#pragma once

typedef unsigned long long u64;

__device__ inline unsigned linear() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
__device__ inline unsigned block() { return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
__device__ inline unsigned global() { return block() * (blockDim.x * blockDim.y * blockDim.z) + linear(); }
__device__ inline unsigned lane() { return linear() % 32; }

__device__ inline unsigned scramble(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

// A branch that is counted: counts[2 * k] warps that came, counts[2 * k + 1] warps that split. An elected lane counts.
__device__ inline bool at(unsigned *counts, int k, bool condition) {
  unsigned here = __activemask();
  unsigned taken = __ballot_sync(here, condition);
  if (lane() == __ffs(here) - 1) {
    atomicAdd(&counts[2 * k], 1u);
    if (taken != 0 && taken != here)
      atomicAdd(&counts[2 * k + 1], 1u);
  }
  __syncwarp(here);
  return condition;
}
