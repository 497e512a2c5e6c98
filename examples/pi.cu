// π as the integral of 4/(1+x²) over [0,1]: a grid-stride loop, then a reduction, within warps or in shared memory.
//
// `step = gridDim.x * blockDim.x` is the same for all, and yet the loop's branch diverges: lanes that start later may
// leave a turn earlier. In the reduction `t < half` splits a warp only once half is below 32. `pi_shuffle` reduces a
// warp with shuffles and has no such branch. (π by directives is the first example of the OpenACC course of WSCAD 2019;
// the same in OpenMP is openmp/pi.c. In our own words.)
//
// Without arguments: runs on the GPU and checks against π.
//
// simt: --kernel pi_shared --grid 2 --block 64 --arg f64[2]:zero --arg i32:1000
// expect: 0[0] = 1.62732, 1.51427
// simt: --kernel pi_shuffle --grid 1 --block 96 --arg f64[3]:zero --arg i32:1000
// expect: 0[0] = 1.10591, 1.03629, 0.99939

#include "check.h"

constexpr int Threads = 128; // at most, a block

__device__ double partial(int n) {
  double width = 1.0 / n, sum = 0.0;
  int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
    double x = (i + 0.5) * width;
    sum += 4.0 / (1.0 + x * x);
  }
  return sum * width;
}

// A sum a block; its size is a power of two.
extern "C" __global__ void pi_shared(double *sums, int n) {
  __shared__ double shared[Threads];
  int t = threadIdx.x;
  shared[t] = partial(n);
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half)
      shared[t] += shared[t + half];
  }
  if (t == 0)
    sums[blockIdx.x] = shared[0];
}

// A sum a warp; whole warps only.
extern "C" __global__ void pi_shuffle(double *sums, int n) {
  double sum = partial(n);
  for (int half = 16; half > 0; half /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, half);
  if (threadIdx.x % 32 == 0)
    sums[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = sum;
}

static std::vector<double> total(const std::vector<double> &parts) {
  double sum = 0;
  for (double part : parts)
    sum += part;
  return {sum};
}

int main() {
  const int n = 1000000, blocks = 32;
  const std::vector<double> pi = {3.14159265358979323846};
  Device<double> ofBlocks(blocks), ofWarps(blocks * Threads / 32);
  pi_shared<<<blocks, Threads>>>(ofBlocks, n);
  finish("pi_shared");
  expect("pi_shared", total(ofBlocks.host()), pi, 1e-9);
  pi_shuffle<<<blocks, Threads>>>(ofWarps, n);
  finish("pi_shuffle");
  expect("pi_shuffle", total(ofWarps.host()), pi, 1e-9);
}
