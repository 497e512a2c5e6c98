// Laplace's equation in a square by Jacobi's iteration: the mean of four neighbours, and the largest change a block.
//
// The guard that spares the walls is the one divergent branch of the sweep. The reduction of the largest change runs a
// uniform loop with a guard on the thread's number, and only its last turns split a warp. (The second example of the
// OpenACC course of WSCAD 2019; the same in OpenMP is openmp/jacobi.c. In our own words.)
//
// Without arguments: runs on the GPU and checks against the CPU.
//
// simt: --kernel jacobi --grid 2,4 --block 16,8 --arg f32[1024]:iota --arg f32[1024]:zero --arg f32[8]:zero --arg i32:32
// expect: 1[31] = 0, 0, 33, 34
// expect: 2[0] = 0, 0, 0, 0, 0, 0, 0, 0

#include "check.h"

constexpr int Width = 16, Height = 8, Threads = Width * Height;

// Walls of `to` stay as they are; `change` has an element a block.
extern "C" __global__ void jacobi(const float *from, float *to, float *change, int n) {
  __shared__ float largest[Threads];
  int x = blockIdx.x * Width + threadIdx.x, y = blockIdx.y * Height + threadIdx.y;
  int t = threadIdx.y * Width + threadIdx.x, i = y * n + x;
  float difference = 0.0f;
  if (x > 0 && x < n - 1 && y > 0 && y < n - 1) {
    float value = 0.25f * (from[i - 1] + from[i + 1] + from[i - n] + from[i + n]);
    difference = fabsf(value - from[i]);
    to[i] = value;
  }
  largest[t] = difference;
  for (int half = Threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half)
      largest[t] = fmaxf(largest[t], largest[t + half]);
  }
  if (t == 0)
    change[blockIdx.y * gridDim.x + blockIdx.x] = largest[0];
}

int main() {
  const int n = 100, sweeps = 40;
  dim3 block(Width, Height), grid((n + Width - 1) / Width, (n + Height - 1) / Height);
  std::vector<float> from(n * n), to;
  for (int i = 0; i < n; ++i)
    from[i] = 1.0f; // one wall is hot
  to = from;
  Device<float> deviceFrom(from), deviceTo(to), change(grid.x * grid.y);
  float want = 0;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    if (sweep % 2 == 0)
      jacobi<<<grid, block>>>(deviceFrom, deviceTo, change, n);
    else
      jacobi<<<grid, block>>>(deviceTo, deviceFrom, change, n);
    want = 0;
    for (int y = 1; y < n - 1; ++y)
      for (int x = 1, i = y * n + 1; x < n - 1; ++x, ++i) {
        to[i] = 0.25f * (from[i - 1] + from[i + 1] + from[i - n] + from[i + n]);
        want = std::fmax(want, std::fabs(to[i] - from[i]));
      }
    std::swap(from, to);
  }
  finish("jacobi");
  expect("jacobi", sweeps % 2 ? deviceTo.host() : deviceFrom.host(), from, 1e-6);
  float largest = 0;
  for (float part : change.host())
    largest = std::fmax(largest, part);
  expect("jacobi: largest change", std::vector<float>{largest}, std::vector<float>{want}, 1e-6);
}
