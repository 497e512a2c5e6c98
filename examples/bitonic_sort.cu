// Bitonic sort of one block's elements: a divergent if-then-else whose sides differ in one comparison.
//
// Which way a pair is sorted depends on a bit of the thread's index, so for small k every warp runs both sides: alike
// compares and swaps on the same two words. Branch fusion melds them into one side (`-mllvm -warpwise-fuse`); the loops
// over k and j are uniform, and the barrier is reached by everybody. (B. Coutinho's doctoral thesis, UFMG 2011, uses
// this kernel for its divergence map and for branch fusion; in our own words.)
//
// Without arguments: runs on the GPU and checks against the CPU.
//
// simt: --kernel bitonic_sort --grid 1 --block 64 --arg i32[64]:list:63,62,61,60,59,58,57,56,55,54,53,52,51,50,49,48,47,46,45,44,43,42,41,40,39,38,37,36,35,34,33,32,31,30,29,28,27,26,25,24,23,22,21,20,19,18,17,16,15,14,13,12,11,10,9,8,7,6,5,4,3,2,1,0
// expect: 0[0] = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15

#include "check.h"
#include <algorithm>

constexpr unsigned Most = 1024; // elements a block

// As many elements a block as it has threads, a power of two.
extern "C" __global__ void bitonic_sort(int *values) {
  __shared__ int shared[Most];
  unsigned t = threadIdx.x;
  values += blockIdx.x * blockDim.x;
  shared[t] = values[t];
  __syncthreads();
  for (unsigned k = 2; k <= blockDim.x; k *= 2)
    for (unsigned j = k / 2; j > 0; j /= 2) {
      unsigned partner = t ^ j;
      if (partner > t) {
        if ((t & k) == 0) {
          if (shared[t] > shared[partner]) {
            int other = shared[t];
            shared[t] = shared[partner];
            shared[partner] = other;
          }
        } else {
          if (shared[t] < shared[partner]) {
            int other = shared[t];
            shared[t] = shared[partner];
            shared[partner] = other;
          }
        }
      }
      __syncthreads();
    }
  values[t] = shared[t];
}

int main() {
  const int blocks = 20, threads = 512, n = blocks * threads;
  std::vector<int> values(n);
  for (int i = 0; i < n; ++i)
    values[i] = unsigned(i) * 2654435761u >> 8;
  Device<int> device(values);
  bitonic_sort<<<blocks, threads>>>(device);
  finish("bitonic_sort");
  for (int block = 0; block < blocks; ++block)
    std::sort(values.begin() + block * threads, values.begin() + (block + 1) * threads);
  expect("bitonic_sort", device.host(), values);
}
