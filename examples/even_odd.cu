// Even and odd: the smallest divergent branch there is, and the same work dealt out so that no warp splits.
//
// In `by_thread` neighbours disagree on `threadIdx.x % 2`: every warp runs both sides, half its lanes idle in each.
// The sides do alike work on different data, so branch fusion can meld them. In `by_warp` the warps take turns: with
// whole warps along x (`scripts/run examples/even_odd.cu -mllvm -warpwise-block=128` says so), `threadIdx.x / 32 % 2` is
// the same for all lanes and the branch is uniform. (The first divergent kernel of the CUDA course of WSCAD 2019, in our
// own words.)
//
// Without arguments: runs on the GPU and checks against the CPU.
//
// simt: --kernel by_thread --grid 2 --block 64 --arg f32[128]:iota --arg f32[128]:fill:1 --arg f32[128]:zero
// expect: 2[0] = 1, 2, 5, 2, 17, 2, 37
// simt: --kernel by_warp --grid 1 --block 128 --arg f32[128]:iota --arg f32[128]:fill:1 --arg f32[128]:zero
// expect: 2[28] = 785, 842, 901, 962, 2, 2, 2

#include "check.h"

constexpr int Threads = 128;

extern "C" __global__ void by_thread(const float *a, const float *b, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x % 2 == 0)
    out[i] = a[i] * a[i] + 1.0f;
  else
    out[i] = b[i] * b[i] * b[i] + 1.0f;
}

extern "C" __global__ void __launch_bounds__(Threads) by_warp(const float *a, const float *b, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x / 32 % 2 == 0)
    out[i] = a[i] * a[i] + 1.0f;
  else
    out[i] = b[i] * b[i] * b[i] + 1.0f;
}

int main() {
  const int blocks = 100, n = blocks * Threads;
  std::vector<float> a(n), b(n), byThread(n), byWarp(n);
  for (int i = 0; i < n; ++i) {
    a[i] = i % 100, b[i] = i % 37;
    float even = a[i] * a[i] + 1, odd = b[i] * b[i] * b[i] + 1; // below 2^24: exact
    byThread[i] = i % 2 ? odd : even;
    byWarp[i] = i / 32 % 2 ? odd : even;
  }
  Device<float> deviceA(a), deviceB(b), out(n);
  by_thread<<<blocks, Threads>>>(deviceA, deviceB, out);
  finish("by_thread");
  expect("by_thread", out.host(), byThread);
  by_warp<<<blocks, Threads>>>(deviceA, deviceB, out);
  finish("by_warp");
  expect("by_warp", out.host(), byWarp);
}
