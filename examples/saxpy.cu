// SAXPY, y = a*x + y: the guard is the only divergent branch, and only the last warp ever splits on it.
//
// `x[i]` and `y[i]` are affine in the thread's index with a stride of 4 bytes: a warp reads 128 contiguous bytes. In
// `saxpy_strided` each thread owns a run of `length` elements instead: lanes are 4*length bytes apart, and each request
// touches as many sectors as it has lanes. Same sums, a different stride; the report names it. (M. Alfaro Vigo and
// S. Rossetto's course on CUDA, SBMAC 2016, in our own words.)
//
// Without arguments: runs on the GPU and checks against the CPU.
//
// simt: --kernel saxpy --grid 2 --block 64 --arg i32:100 --arg f32:2 --arg f32[128]:iota --arg f32[128]:fill:1
// expect: 3[0] = 1, 3, 5, 7, 9, 11, 13
// simt: --kernel saxpy_strided --grid 1 --block 40 --arg i32:100 --arg i32:3 --arg f32:2 --arg f32[128]:iota --arg f32[128]:fill:1
// expect: 4[0] = 1, 3, 5, 7, 9, 11, 13

#include "check.h"

extern "C" __global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}

extern "C" __global__ void saxpy_strided(int n, int length, float a, const float *x, float *y) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * length;
  for (int i = first; i < first + length; ++i)
    if (i < n)
      y[i] = a * x[i] + y[i];
}

int main() {
  const int n = 100000, threads = 256, length = 16;
  std::vector<float> x(n), y(n), want(n);
  for (int i = 0; i < n; ++i) {
    x[i] = i % 1000, y[i] = i % 7;
    want[i] = 2.0f * x[i] + y[i]; // small integers: exact
  }
  Device<float> deviceX(x), first(y), second(y);
  saxpy<<<(n + threads - 1) / threads, threads>>>(n, 2.0f, deviceX, first);
  finish("saxpy");
  expect("saxpy", first.host(), want);
  saxpy_strided<<<(n + threads * length - 1) / (threads * length), threads>>>(n, length, 2.0f, deviceX, second);
  finish("saxpy_strided");
  expect("saxpy_strided", second.host(), want);
}
