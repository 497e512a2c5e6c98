// A 7-point stencil in three dimensions, three ways: plain, planes in registers, planes in shared memory.
//
// `stencil_plain` reads all seven points from memory. `stencil_marching` walks along z and keeps the points below, at
// and above in registers: the loop is uniform, and five of seven loads are left. `stencil_tile` also shares the plane in
// shared memory; its halo is loaded under `threadIdx` tests, branches that diverge where the plain guards hardly do.
// (E. Nasciutti and J. Panetta's comparison of 3-D stencils on GPUs, in our own words.)
//
// Without arguments: runs on the GPU and checks against the CPU.
//
// simt: --kernel stencil_plain --grid 1,2,8 --block 32,4 --arg f32[2048]:random:1 --arg f32[2048]:zero --arg i32:32 --arg i32:8 --arg i32:8
// simt: --kernel stencil_marching --grid 1,2 --block 32,4 --arg f32[2048]:random:1 --arg f32[2048]:zero --arg i32:32 --arg i32:8 --arg i32:8
// expect: 1 as stencil_plain
// simt: --kernel stencil_tile --grid 1,2 --block 32,4 --arg f32[2048]:random:1 --arg f32[2048]:zero --arg i32:32 --arg i32:8 --arg i32:8
// expect: 1 as stencil_plain

#include "check.h"

constexpr int Width = 32, Height = 4; // of a block

#define POSITION                                                                                                       \
  int x = blockIdx.x * Width + threadIdx.x, y = blockIdx.y * Height + threadIdx.y, plane = nx * ny;                     \
  bool inside = x > 0 && x < nx - 1 && y > 0 && y < ny - 1

extern "C" __global__ void stencil_plain(const float *in, float *out, int nx, int ny, int nz) {
  POSITION;
  int z = blockIdx.z, i = z * plane + y * nx + x;
  if (inside && z > 0 && z < nz - 1)
    out[i] = in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - plane] + in[i + plane] - 6 * in[i];
}

extern "C" __global__ void stencil_marching(const float *in, float *out, int nx, int ny, int nz) {
  POSITION;
  if (!inside)
    return;
  int i = y * nx + x;
  float below = in[i], here = in[i + plane];
  for (int z = 1; z < nz - 1; ++z) {
    i += plane;
    float above = in[i + plane];
    out[i] = in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + below + above - 6 * here;
    below = here, here = above;
  }
}

// Extents are multiples of the block's.
extern "C" __global__ void stencil_tile(const float *in, float *out, int nx, int ny, int nz) {
  __shared__ float tile[Height + 2][Width + 2];
  POSITION;
  int i = y * nx + x, tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  float below = in[i], here = in[i + plane];
  for (int z = 1; z < nz - 1; ++z) {
    i += plane;
    float above = in[i + plane];
    tile[ty][tx] = here;
    if (tx == 1 && x > 0)
      tile[ty][0] = in[i - 1];
    if (tx == Width && x < nx - 1)
      tile[ty][Width + 1] = in[i + 1];
    if (ty == 1 && y > 0)
      tile[0][tx] = in[i - nx];
    if (ty == Height && y < ny - 1)
      tile[Height + 1][tx] = in[i + nx];
    __syncthreads();
    if (inside)
      out[i] = tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx] + below + above - 6 * here;
    __syncthreads();
    below = here, here = above;
  }
}

int main() {
  const int nx = 96, ny = 64, nz = 40, plane = nx * ny, n = plane * nz;
  std::vector<float> in(n), want(n);
  for (int i = 0; i < n; ++i)
    in[i] = i * 7 % 31 - 15; // small integers: exact
  for (int z = 1; z < nz - 1; ++z)
    for (int y = 1; y < ny - 1; ++y)
      for (int x = 1, i = z * plane + y * nx + 1; x < nx - 1; ++x, ++i)
        want[i] = in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - plane] + in[i + plane] - 6 * in[i];
  Device<float> deviceIn(in), first(n), second(n), third(n);
  dim3 block(Width, Height), grid(nx / Width, ny / Height);
  stencil_plain<<<dim3(grid.x, grid.y, nz), block>>>(deviceIn, first, nx, ny, nz);
  finish("stencil_plain");
  expect("stencil_plain", first.host(), want);
  stencil_marching<<<grid, block>>>(deviceIn, second, nx, ny, nz);
  finish("stencil_marching");
  expect("stencil_marching", second.host(), want);
  stencil_tile<<<grid, block>>>(deviceIn, third, nx, ny, nz);
  finish("stencil_tile");
  expect("stencil_tile", third.host(), want);
}
