// Maxwell's equations in two dimensions on Yee's staggered grid: a magnetic and an electric half step.
//
// Each thread owns a cell. Neighbours in x are the next word, neighbours in y the next row: all accesses of a warp are
// contiguous when the lanes lie along x, which a block of 32x8 says. The guards at the edges are the only divergent
// branches, and with 32 lanes along x the one on the row is uniform. (Scheme: M. Alfaro Vigo and S. Rossetto's course on
// CUDA, SBMAC 2016, in our own words; lossless, normalised units, perfectly conducting walls.)
//
// Without arguments: runs on the GPU and checks against the CPU.
//
// simt: --kernel step_magnetic --grid 1,2 --block 32,8 --arg f32[512]:iota --arg f32[512]:fill:1 --arg f32[512]:zero --arg i32:32 --arg i32:16 --arg f32:0.5
// expect: 2[30] = 16, 0, 16, 16
// simt: --kernel step_electric --grid 1,2 --block 32,8 --arg f32[512]:zero --arg f32[512]:zero --arg f32[512]:iota --arg i32:32 --arg i32:16 --arg f32:0.5
// expect: 0[30] = 0, 0, 16, 16
// expect: 1[0] = 0, -0.5, -0.5

#include "check.h"

// hz += r * (dEx/dy - dEy/dx) in every cell that has both neighbours.
extern "C" __global__ void step_magnetic(const float *ex, const float *ey, float *hz, int nx, int ny, float r) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * nx + x;
  if (x < nx - 1 && y < ny - 1)
    hz[i] += r * ((ex[i + nx] - ex[i]) - (ey[i + 1] - ey[i]));
}

// ex += r * dHz/dy, ey -= r * dHz/dx; the tangential field on the walls stays as it is.
extern "C" __global__ void step_electric(float *ex, float *ey, const float *hz, int nx, int ny, float r) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * nx + x;
  if (x < nx - 1 && y > 0 && y < ny - 1)
    ex[i] += r * (hz[i] - hz[i - nx]);
  if (y < ny - 1 && x > 0 && x < nx - 1)
    ey[i] -= r * (hz[i] - hz[i - 1]);
}

int main() {
  const int nx = 200, ny = 100, n = nx * ny, steps = 50;
  const float r = 0.5f;
  std::vector<float> ex(n), ey(n), hz(n);
  hz[ny / 2 * nx + nx / 2] = 1.0f; // a pulse in the middle
  Device<float> deviceEx(ex), deviceEy(ey), deviceHz(hz);
  dim3 block(32, 8), grid((nx + 31) / 32, (ny + 7) / 8);
  for (int step = 0; step < steps; ++step) {
    step_magnetic<<<grid, block>>>(deviceEx, deviceEy, deviceHz, nx, ny, r);
    step_electric<<<grid, block>>>(deviceEx, deviceEy, deviceHz, nx, ny, r);
    for (int y = 0; y < ny - 1; ++y)
      for (int x = 0, i = y * nx; x < nx - 1; ++x, ++i)
        hz[i] += r * ((ex[i + nx] - ex[i]) - (ey[i + 1] - ey[i]));
    for (int y = 0; y < ny - 1; ++y)
      for (int x = 0, i = y * nx; x < nx - 1; ++x, ++i) {
        if (y > 0)
          ex[i] += r * (hz[i] - hz[i - nx]);
        if (x > 0)
          ey[i] -= r * (hz[i] - hz[i - 1]);
      }
  }
  finish("step_electric");
  expect("hz after step_magnetic", deviceHz.host(), hz, 1e-5);
  expect("ex after step_electric", deviceEx.host(), ex, 1e-5);
  expect("ey after step_electric", deviceEy.host(), ey, 1e-5);
}
