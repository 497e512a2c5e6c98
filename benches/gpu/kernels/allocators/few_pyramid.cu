// A point looked up in every level of an image pyramid, plane after plane.
//@ launch grid=n/32,n/8 block=32,8
//@ arg pyramid in f32[2*n*n+planes] range(-1,1,1)
//@ arg out out f32[n*n]
//@ arg n i32 512
//@ arg planes i32 64
//@ small n=32 planes=2
//@ regs 24

constexpr int LEVELS = 9;

extern "C" __global__ void few_pyramid_plain(const float *pyramid, float *out, int n, int planes) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, at[2 * LEVELS], start = 0;
#pragma unroll
  for (int l = 0; l < LEVELS; l++) {
    int width = max(n >> l, 1);
    at[2 * l] = start + (y >> l) * width + (x >> l);
    at[2 * l + 1] = start + min((y >> l) + 1, width - 1) * width + (x >> l);
    start += width * width;
  }
  float s = 0.0f;
#pragma unroll 1
  for (int p = 0; p < planes; p++)
#pragma unroll
    for (int l = 0; l < 2 * LEVELS; l++) s = fmaf(s, 0.5f, pyramid[at[l] + p]);
  out[y * n + x] = s;
}
