// The same border with eight paths, four edges and four corners, each a difference of other cells; inside there is
// nothing to do but the common case.
//@ launch grid=n/16,n/16 block=16,16
//@ arg image in f32[n*n] range(1,2,1)
//@ arg weight in f32[n*n] range(0,1,2)
//@ arg out out f32[n*n]
//@ arg n i32 2048
//@ small n=32
//@ also map

extern "C" __global__ void srad_border8_plain(const float *image, const float *weight, float *out, int n) {
  __shared__ float v[16][16], w[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  int at = (blockIdx.y * 16 + y) * n + blockIdx.x * 16 + x;
  v[y][x] = image[at];
  w[y][x] = weight[at];
  __syncthreads();
  float c = v[y][x], k = w[y][x], d;
  if (x == 0 && y == 0) d = fmaf(w[1][0], v[1][0] - c, w[0][1] * (v[0][1] - c));
  else if (x == 15 && y == 0) d = fmaf(w[1][15], v[1][15] - c, w[0][14] * (v[0][14] - c));
  else if (x == 0 && y == 15) d = fmaf(w[14][0], v[14][0] - c, w[15][1] * (v[15][1] - c));
  else if (x == 15 && y == 15) d = fmaf(w[14][15], v[14][15] - c, w[15][14] * (v[15][14] - c));
  else if (x == 0) d = fmaf(w[y + 1][0], v[y + 1][0] - c, w[y][1] * (v[y][1] - c));
  else if (x == 15) d = fmaf(w[y + 1][15], v[y + 1][15] - c, w[y][14] * (v[y][14] - c));
  else if (y == 0) d = fmaf(w[1][x], v[1][x] - c, w[0][x + 1] * (v[0][x + 1] - c));
  else if (y == 15) d = fmaf(w[14][x], v[14][x] - c, w[15][x + 1] * (v[15][x + 1] - c));
  else d = fmaf(w[y + 1][x], v[y + 1][x] - c, w[y][x + 1] * (v[y][x + 1] - c));
  out[at] = fmaf(0.25f * k, d, c);
}

extern "C" __global__ void srad_border8_by_hand(const float *image, const float *weight, float *out, int n) {
  __shared__ float v[16][16], w[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  int at = (blockIdx.y * 16 + y) * n + blockIdx.x * 16 + x;
  v[y][x] = image[at];
  w[y][x] = weight[at];
  __syncthreads();
  float c = v[y][x], k = w[y][x];
  int ny = y == 15 ? 14 : y + 1, nx = x == 15 ? 14 : x + 1;
  float d = fmaf(w[ny][x], v[ny][x] - c, w[y][nx] * (v[y][nx] - c));
  out[at] = fmaf(0.25f * k, d, c);
}
