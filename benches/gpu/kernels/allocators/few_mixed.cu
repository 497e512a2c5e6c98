// Weights, indices and sums together: a small convolution whose nine weights are made on the spot.
//@ launch grid=n/32,n/8 block=32,8
//@ arg image in f32[(n+2)*(n+2)] range(-1,1,1)
//@ arg factor in f32[18] range(-1,1,2)
//@ arg out out f32[n*n]
//@ arg n i32 1024
//@ arg turns i32 16
//@ small n=32 turns=2
//@ regs 24

extern "C" __global__ void few_mixed_plain(const float *image, const float *factor, float *out, int n, int turns) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, row = n + 2;
  float w[9], s = 0.0f, k = 1.0f;
#pragma unroll
  for (int j = 0; j < 9; j++) w[j] = factor[j] * factor[9 + j];
#pragma unroll 1
  for (int i = 0; i < turns; i++) {
#pragma unroll
    for (int j = 0; j < 9; j++) s = fmaf(w[j] * k, image[(y + j / 3) * row + x + j % 3], s);
    k *= 0.5f;
  }
  out[y * n + x] = s;
}
