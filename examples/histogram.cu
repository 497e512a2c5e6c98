// A histogram of bytes, in global memory and in shared memory first.
//
// Which counter a lane increments depends on data, so nothing can be said of the atomics' addresses: that is what an
// honest "divergent" looks like. What can be said: the input is read contiguously, the loops that clear and add the
// shared counters are uniform for a block of 256, and `histogram_shared` does its contended atomics where they are cheap.
// (The third example of the OpenACC course of WSCAD 2019; the same in OpenMP is openmp/histogram.c. In our own words.)
//
// Without arguments: runs on the GPU and checks against the CPU.
//
// simt: --kernel histogram_global --grid 2 --block 64 --arg u8[300]:fill:3 --arg i32[256]:zero --arg i32:300
// expect: 1[0] = 0, 0, 0, 300, 0
// simt: --kernel histogram_shared --grid 2 --block 256 --arg u8[900]:iota --arg i32[256]:zero --arg i32:900
// expect: 1[0] = 4, 4, 4

#include "check.h"

constexpr int Bins = 256;

extern "C" __global__ void histogram_global(const unsigned char *data, int *bins, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[data[i]], 1);
}

// Blocks of 256 threads: a bin each.
extern "C" __global__ void __launch_bounds__(Bins) histogram_shared(const unsigned char *data, int *bins, int n) {
  __shared__ int mine[Bins];
  mine[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * Bins + threadIdx.x; i < n; i += gridDim.x * Bins)
    atomicAdd(&mine[data[i]], 1);
  __syncthreads();
  if (mine[threadIdx.x])
    atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

int main() {
  const int n = 1000000, blocks = 64;
  std::vector<unsigned char> data(n);
  std::vector<int> want(Bins);
  for (int i = 0; i < n; ++i)
    ++want[data[i] = unsigned(i) * 2654435761u >> 24];
  Device<unsigned char> device(data);
  Device<int> first(Bins), second(Bins);
  histogram_global<<<blocks, Bins>>>(device, first, n);
  finish("histogram_global");
  expect("histogram_global", first.host(), want);
  histogram_shared<<<blocks, Bins>>>(device, second, n);
  finish("histogram_shared");
  expect("histogram_shared", second.host(), want);
}
