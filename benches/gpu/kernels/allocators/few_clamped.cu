// A 5 by 5 window, clamped at the image's edges, over the planes of an image: indices follow from the thread's place.
//@ launch grid=n/32,n/8 block=32,8
//@ arg image in f32[n*n*planes] range(-1,1,1)
//@ arg out out f32[n*n]
//@ arg n i32 512
//@ arg planes i32 24
//@ small n=32 planes=2
//@ regs 24

extern "C" __global__ void few_clamped_plain(const float *image, float *out, int n, int planes) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, col[5], row[5];
#pragma unroll
  for (int j = 0; j < 5; j++) {
    col[j] = min(max(x + j - 2, 0), n - 1);
    row[j] = min(max(y + j - 2, 0), n - 1) * n;
  }
  float s = 0.0f;
#pragma unroll 1
  for (int p = 0; p < planes; p++) {
    const float *plane = image + p * n * n;
#pragma unroll
    for (int i = 0; i < 5; i++)
#pragma unroll
      for (int j = 0; j < 5; j++) s = fmaf(s, 0.75f, plane[row[i] + col[j]] * (float)((i + 1) * (j + 2)));
  }
  out[y * n + x] = s;
}
