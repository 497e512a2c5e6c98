// A matrix product with eight results per thread: the accumulators are divergent and live throughout, the loop over
// them unrolled. Registers are held down so that three large blocks fit.
//@ launch grid=n/64,n/64 block=64,8
//@ arg a in f32[n*n] range(-1,1,1)
//@ arg b in f32[n*n] range(-1,1,2)
//@ arg c out f32[n*n]
//@ arg n i32 1024
//@ small n=64

extern "C" __global__ __launch_bounds__(512, 4)
void volkov8_plain(const float *a, const float *b, float *c, int n) {
  __shared__ float tile[16][64];
  int col = blockIdx.x * 64 + threadIdx.x, row = blockIdx.y * 64 + threadIdx.y * 8;
  int me = threadIdx.y * 64 + threadIdx.x;
  float sum[8] = {};
  for (int k = 0; k < n; k += 16) {
    // 64 rows of a, 16 columns, transposed.
    for (int i = me; i < 1024; i += 512) tile[i & 15][i >> 4] = a[(blockIdx.y * 64 + (i >> 4)) * n + k + (i & 15)];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 16; j++) {
      float v = b[(k + j) * n + col];
#pragma unroll
      for (int r = 0; r < 8; r++) sum[r] = fmaf(tile[j][threadIdx.y * 8 + r], v, sum[r]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < 8; r++) c[(row + r) * n + col] = sum[r];
}
