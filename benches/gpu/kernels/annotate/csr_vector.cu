// Sparse matrix times vector with a warp for each row: row number, bounds and loop are the warp's.
//@ launch grid=(n+7)/8 block=256
//@ arg start in i32[n+1] prefix(8,160,1)
//@ arg column in i32[n*160] range(0,n,2)
//@ arg value in f32[n*160] range(-1,1,3)
//@ arg x in f32[n] range(-1,1,4)
//@ arg y out f32[n]
//@ arg n i32 60000
//@ small n=40
//@ also map

extern "C" __global__ void csr_vector_plain(const int *start, const int *column, const float *value, const float *x,
                                            float *y, int n) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= n) return;
  float s = 0.0f;
  for (int i = start[row] + lane; i < start[row + 1]; i += 32) s = fmaf(value[i], x[column[i]], s);
  for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(0xffffffffu, s, d);
  if (lane == 0) y[row] = s;
}

// The row comes from lane 0, which tells the assembler that it is the warp's.
extern "C" __global__ void csr_vector_by_hand(const int *start, const int *column, const float *value, const float *x,
                                              float *y, int n) {
  int row = __shfl_sync(0xffffffffu, blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, 0), lane = threadIdx.x % 32;
  if (row >= n) return;
  float s = 0.0f;
  for (int i = start[row] + lane; i < start[row + 1]; i += 32) s = fmaf(value[i], x[column[i]], s);
  for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(0xffffffffu, s, d);
  if (lane == 0) y[row] = s;
}
