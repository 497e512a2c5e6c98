// Instruction-level parallelism hides latency with fewer threads: one, two or four independent chains a thread.
//
// After V. Volkov's "Better performance at lower occupancy" (GTC 2010) and the micro-benchmarks of the CUDA course of
// WSCAD 2019, in our own words. The loop is uniform and no lane differs in anything but its data: the kernel shows what
// does *not* depend on divergence. Chain c of a thread lies `c * blockDim.x` elements on, so each access is contiguous.
//
// Without arguments: runs on the GPU and checks against the CPU.
//
// simt: --kernel chains1 --grid 2 --block 64 --arg f32[128]:iota --arg f32:2 --arg i32:3
// expect: 0[0] = 7, 15, 23, 31
// simt: --kernel chains2 --grid 1 --block 64 --arg f32[128]:iota --arg f32:2 --arg i32:3
// expect: 0[0] = 7, 15, 23, 31
// simt: --kernel chains4 --grid 1 --block 32 --arg f32[128]:iota --arg f32:2 --arg i32:3
// expect: 0[0] = 7, 15, 23, 31

#include "check.h"

// Each element becomes a*v + 1, `turns` times over.
template <int Chains> __device__ void run(float *values, float a, int turns) {
  float v[Chains];
  values += blockIdx.x * blockDim.x * Chains + threadIdx.x;
  for (int c = 0; c < Chains; ++c)
    v[c] = values[c * blockDim.x];
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn)
    for (int c = 0; c < Chains; ++c)
      v[c] = a * v[c] + 1.0f;
  for (int c = 0; c < Chains; ++c)
    values[c * blockDim.x] = v[c];
}

extern "C" __global__ void chains1(float *values, float a, int turns) { run<1>(values, a, turns); }
extern "C" __global__ void chains2(float *values, float a, int turns) { run<2>(values, a, turns); }
extern "C" __global__ void chains4(float *values, float a, int turns) { run<4>(values, a, turns); }

int main() {
  const int n = 4096, threads = 128, turns = 10;
  std::vector<float> values(n), want(n);
  for (int i = 0; i < n; ++i) {
    values[i] = want[i] = i;
    for (int turn = 0; turn < turns; ++turn)
      want[i] = 2.0f * want[i] + 1.0f; // below 2^24: exact
  }
  Device<float> one(values), two(values), four(values);
  chains1<<<n / threads, threads>>>(one, 2.0f, turns);
  chains2<<<n / threads / 2, threads>>>(two, 2.0f, turns);
  chains4<<<n / threads / 4, threads>>>(four, 2.0f, turns);
  finish("chains4");
  expect("chains1", one.host(), want);
  expect("chains2", two.host(), want);
  expect("chains4", four.host(), want);
}
