// C = A*B three ways: plain, in tiles with bank conflicts, in tiles without.
//
// `product_plain`: A's element is the same for the whole warp, B's are contiguous, and each is read n times from
// memory. The tiled kernels read each element n/32 times. `product_tiled` keeps B's tile turned, so that both factors
// run along rows of the tile: lanes lie 32 words apart in shared memory and collide in one bank, 32 ways. One word of
// padding a row (`product_padded`) moves them 33 words apart: every lane has a bank of its own. The loops have the same
// trip count for all lanes, no branch diverges. (M. Alfaro Vigo and S. Rossetto's course on CUDA, SBMAC 2016; banks:
// CUDA course of WSCAD 2019; in our own words.)
//
// Without arguments: runs on the GPU and checks against the CPU.
//
// simt: --kernel product_plain --grid 1 --block 32,32 --arg f32[1024]:fill:2 --arg f32[1024]:iota --arg f32[1024]:zero --arg i32:32
// expect: 2[0] = 31744, 31808, 31872, 31936
// simt: --kernel product_tiled --grid 1 --block 32,32 --arg f32[1024]:fill:2 --arg f32[1024]:iota --arg f32[1024]:zero --arg i32:32
// expect: 2[0] = 31744, 31808, 31872, 31936
// simt: --kernel product_padded --grid 1 --block 32,32 --arg f32[1024]:fill:2 --arg f32[1024]:iota --arg f32[1024]:zero --arg i32:32
// expect: 2[0] = 31744, 31808, 31872, 31936

#include "check.h"

constexpr int Tile = 32; // a block is Tile x Tile threads; n is a multiple of Tile

extern "C" __global__ void product_plain(const float *a, const float *b, float *c, int n) {
  int column = blockIdx.x * Tile + threadIdx.x, row = blockIdx.y * Tile + threadIdx.y;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k)
    sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

template <int Pitch> __device__ void product(const float *a, const float *b, float *c, int n) {
  __shared__ float tileA[Tile][Pitch], turnedB[Tile][Pitch];
  int x = threadIdx.x, y = threadIdx.y;
  int column = blockIdx.x * Tile + x, row = blockIdx.y * Tile + y;
  float sum = 0.0f;
  for (int first = 0; first < n; first += Tile) {
    tileA[y][x] = a[row * n + first + x];
    turnedB[x][y] = b[(first + y) * n + column];
    __syncthreads();
    for (int k = 0; k < Tile; ++k)
      sum += tileA[y][k] * turnedB[x][k];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

extern "C" __global__ void __launch_bounds__(Tile *Tile) product_tiled(const float *a, const float *b, float *c, int n) {
  product<Tile>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(Tile *Tile) product_padded(const float *a, const float *b, float *c, int n) {
  product<Tile + 1>(a, b, c, n);
}

int main() {
  const int n = 128;
  std::vector<float> a(n * n), b(n * n), want(n * n);
  for (int i = 0; i < n * n; ++i)
    a[i] = i * 7 % 31 - 15, b[i] = i * 5 % 17 - 8; // small integers: sums are exact in any order
  for (int row = 0; row < n; ++row)
    for (int column = 0; column < n; ++column)
      for (int k = 0; k < n; ++k)
        want[row * n + column] += a[row * n + k] * b[k * n + column];
  Device<float> deviceA(a), deviceB(b), c(n * n);
  dim3 grid(n / Tile, n / Tile), block(Tile, Tile);
  product_plain<<<grid, block>>>(deviceA, deviceB, c, n);
  finish("product_plain");
  expect("product_plain", c.host(), want);
  product_tiled<<<grid, block>>>(deviceA, deviceB, c, n);
  finish("product_tiled");
  expect("product_tiled", c.host(), want);
  product_padded<<<grid, block>>>(deviceA, deviceB, c, n);
  finish("product_padded");
  expect("product_padded", c.host(), want);
}
