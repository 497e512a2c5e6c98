// A matrix product with 36 results per thread, six by six, under a register limit that does not hold them all.
//@ launch grid=n/96,n/96 block=16,16
//@ arg a in f32[n*n] range(-1,1,1)
//@ arg b in f32[n*n] range(-1,1,2)
//@ arg c out f32[n*n]
//@ arg n i32 960
//@ small n=96

extern "C" __global__ __launch_bounds__(256, 6)
void volkov36_plain(const float *a, const float *b, float *c, int n) {
  __shared__ float ta[8][96], tb[8][96];
  int tx = threadIdx.x, ty = threadIdx.y, me = ty * 16 + tx;
  int row = blockIdx.y * 96, col = blockIdx.x * 96;
  float sum[6][6] = {};
  for (int k = 0; k < n; k += 8) {
    for (int i = me; i < 768; i += 256) {
      ta[i & 7][i >> 3] = a[(row + (i >> 3)) * n + k + (i & 7)];
      tb[i / 96][i % 96] = b[(k + i / 96) * n + col + i % 96];
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 8; j++) {
      float u[6];
#pragma unroll
      for (int r = 0; r < 6; r++) u[r] = ta[j][ty * 6 + r];
#pragma unroll
      for (int s = 0; s < 6; s++) {
        float v = tb[j][s * 16 + tx];
#pragma unroll
        for (int r = 0; r < 6; r++) sum[r][s] = fmaf(u[r], v, sum[r][s]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < 6; r++)
#pragma unroll
    for (int s = 0; s < 6; s++) c[(row + ty * 6 + r) * n + col + s * 16 + tx] = sum[r][s];
}
