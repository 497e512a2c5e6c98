// Speckle-reducing diffusion on a tile of 16 by 16 in shared memory: neighbours come from the tile, and from global
// memory at its border, one if-then-else a direction.
//@ launch grid=n/16,n/16 block=16,16
//@ arg image in f32[n*n] range(1,2,1)
//@ arg out out f32[n*n]
//@ arg n i32 2048
//@ small n=64
//@ also map

constexpr int B = 16;

extern "C" __global__ void srad16_plain(const float *image, float *out, int n) {
  __shared__ float tile[B][B];
  int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * B + tx, y = blockIdx.y * B + ty;
  float c = image[y * n + x];
  tile[ty][tx] = c;
  __syncthreads();
  float north, south, west, east;
  if (ty == 0) north = image[(y == 0 ? 0 : y - 1) * n + x] - c;
  else north = tile[ty - 1][tx] - c;
  if (ty == B - 1) south = image[(y == n - 1 ? y : y + 1) * n + x] - c;
  else south = tile[ty + 1][tx] - c;
  if (tx == 0) west = image[y * n + (x == 0 ? 0 : x - 1)] - c;
  else west = tile[ty][tx - 1] - c;
  if (tx == B - 1) east = image[y * n + (x == n - 1 ? x : x + 1)] - c;
  else east = tile[ty][tx + 1] - c;
  float g = fmaf(north, north, fmaf(south, south, fmaf(west, west, east * east))) / (c * c);
  float l = (north + south + west + east) / c;
  float den = fmaf(l, 0.25f, 1.0f);
  float q = fmaf(0.5f, g, -0.0625f * (l * l)) / (den * den);
  float k = 1.0f / (1.0f + (q - 0.05f) / 0.0525f);
  out[y * n + x] = k < 0.0f ? 0.0f : k > 1.0f ? 1.0f : k;
}
