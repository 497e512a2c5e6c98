// A sparse matrix kept by its eighteen diagonals, times one vector after the other: columns are the row plus an offset that all share.
//@ launch grid=1056 block=256
//@ arg offset in i32[18] range(0,4096,1)
//@ arg weight in f32[36] range(-1,1,2)
//@ arg x in f32[threads+4096+vectors] range(-1,1,3)
//@ arg y out f32[threads]
//@ arg vectors i32 200
//@ small grid=2 vectors=6
//@ regs 24

constexpr int N = 18;

extern "C" __global__ void few_diagonals_plain(const int *offset, const float *weight, const float *x, float *y, int vectors) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, column[N];
#pragma unroll
  for (int d = 0; d < N; d++) column[d] = row + offset[d];
  float s = 0.0f;
#pragma unroll 1
  for (int v = 0; v < vectors; v++)
#pragma unroll
    for (int d = 0; d < N; d++) s = fmaf(s, 0.5f, x[column[d] + v]);
  y[row] = s;
}
