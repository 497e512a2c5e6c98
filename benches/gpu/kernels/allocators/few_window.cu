// Nine by three pixels around a pixel that wraps at the image's edges, frame after frame.
//@ launch grid=n/32,n/8 block=32,8
//@ arg frames in f32[n*n*count] range(-1,1,1)
//@ arg out out f32[n*n]
//@ arg n i32 512
//@ arg count i32 24
//@ small n=32 count=2
//@ regs 24

extern "C" __global__ void few_window_plain(const float *frames, float *out, int n, int count) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, at[27];
#pragma unroll
  for (int i = 0; i < 3; i++)
#pragma unroll
    for (int j = 0; j < 9; j++) {
      int u = x + j - 4, v = y + i - 1;
      u = u < 0 ? u + n : u >= n ? u - n : u;
      v = v < 0 ? v + n : v >= n ? v - n : v;
      at[9 * i + j] = v * n + u;
    }
  float s = 0.0f;
#pragma unroll 1
  for (int f = 0; f < count; f++) {
#pragma unroll
    for (int j = 0; j < 27; j++) s = fmaf(s, 0.75f, frames[f * n * n + at[j]]);
  }
  out[y * n + x] = s;
}
