// The transpose of a matrix, three ways: a wasteful write, a bank conflict, neither.
//
// `transpose_plain` reads rows and writes columns: the lanes of a store lie n*4 bytes apart, and each of its 32 words
// costs a sector of its own. `transpose_tile` turns a tile in shared memory, so that reads and writes of global memory
// are both contiguous, but reads the tile by columns: 32 lanes in one bank. `transpose_padded` gives each row of the
// tile one word more, and the lanes 33 words apart have a bank each. No branch anywhere. (CUDA course of WSCAD 2019, in
// our own words.)
//
// Without arguments: runs on the GPU and checks against the CPU.
//
// simt: --kernel transpose_plain --grid 2,2 --block 32,8 --arg f32[4096]:iota --arg f32[4096]:zero --arg i32:64
// expect: 1[0] = 0, 64, 128, 192, 256, 320
// simt: --kernel transpose_tile --grid 2,2 --block 32,8 --arg f32[4096]:iota --arg f32[4096]:zero --arg i32:64
// expect: 1[0] = 0, 64, 128, 192, 256, 320
// simt: --kernel transpose_padded --grid 2,2 --block 32,8 --arg f32[4096]:iota --arg f32[4096]:zero --arg i32:64
// expect: 1[0] = 0, 64, 128, 192, 256, 320

#include "check.h"

constexpr int Tile = 32, Rows = 8; // a block of Tile x Rows threads turns a tile; n is a multiple of Tile

extern "C" __global__ void transpose_plain(const float *in, float *out, int n) {
  int x = blockIdx.x * Tile + threadIdx.x, y = blockIdx.y * Tile + threadIdx.y;
  for (int row = 0; row < Tile; row += Rows)
    out[x * n + y + row] = in[(y + row) * n + x];
}

template <int Pitch> __device__ void transpose(const float *in, float *out, int n) {
  __shared__ float tile[Tile][Pitch];
  int x = blockIdx.x * Tile + threadIdx.x, y = blockIdx.y * Tile + threadIdx.y;
  for (int row = 0; row < Tile; row += Rows)
    tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * n + x];
  __syncthreads();
  x = blockIdx.y * Tile + threadIdx.x, y = blockIdx.x * Tile + threadIdx.y;
  for (int row = 0; row < Tile; row += Rows)
    out[(y + row) * n + x] = tile[threadIdx.x][threadIdx.y + row];
}

extern "C" __global__ void transpose_tile(const float *in, float *out, int n) { transpose<Tile>(in, out, n); }
extern "C" __global__ void transpose_padded(const float *in, float *out, int n) { transpose<Tile + 1>(in, out, n); }

int main() {
  const int n = 256;
  std::vector<float> in(n * n), want(n * n);
  for (int i = 0; i < n * n; ++i) {
    in[i] = i;
    want[i % n * n + i / n] = i;
  }
  Device<float> deviceIn(in), out(n * n);
  dim3 grid(n / Tile, n / Tile), block(Tile, Rows);
  transpose_plain<<<grid, block>>>(deviceIn, out, n);
  finish("transpose_plain");
  expect("transpose_plain", out.host(), want);
  transpose_tile<<<grid, block>>>(deviceIn, out, n);
  finish("transpose_tile");
  expect("transpose_tile", out.host(), want);
  transpose_padded<<<grid, block>>>(deviceIn, out, n);
  finish("transpose_padded");
  expect("transpose_padded", out.host(), want);
}
