// LU decomposition without pivoting, in place: a column and an update a step, or all steps of a small matrix in a block.
//
// Step k divides the column below the pivot (`lu_column`: lanes are a row apart, a sector each) and subtracts an outer
// product from the rest (`lu_update`: lanes are contiguous, the column's factor is the same for the whole warp). Both
// guards diverge in one warp only. In `lu_block` the loop over k is uniform, but its guard `row > k` compares the
// thread's index with k, so ever more lanes idle. (M. Alfaro Vigo and S. Rossetto's course on CUDA, SBMAC 2016, in our
// own words.)
//
// Without arguments: runs on the GPU and checks that L*U is the matrix again.
//
// simt: --kernel lu_column --grid 1 --block 32 --arg f32[256]:fill:2 --arg i32:16 --arg i32:0
// expect: 0[14] = 2, 2, 1, 2
// simt: --kernel lu_update --grid 1,2 --block 16,8 --arg f32[256]:iota --arg i32:16 --arg i32:0
// expect: 0[15] = 15, 16, 1, -14, -29
// simt: --kernel lu_block --grid 1 --block 8 --arg f32[64]:list:1,1,1,1,1,1,1,1,1,2,2,2,2,2,2,2,1,2,3,3,3,3,3,3,1,2,3,4,4,4,4,4,1,2,3,4,5,5,5,5,1,2,3,4,5,6,6,6,1,2,3,4,5,6,7,7,1,2,3,4,5,6,7,8
// expect: 0[0] = 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1

#include "check.h"

constexpr int Small = 8; // rows of a matrix of `lu_block`

extern "C" __global__ void lu_column(float *matrix, int n, int k) {
  int row = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n)
    matrix[row * n + k] /= matrix[k * n + k];
}

extern "C" __global__ void lu_update(float *matrix, int n, int k) {
  int column = k + 1 + blockIdx.x * blockDim.x + threadIdx.x, row = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && column < n)
    matrix[row * n + column] -= matrix[row * n + k] * matrix[k * n + column];
}

// A matrix a block, a row a thread.
extern "C" __global__ void lu_block(float *matrices) {
  __shared__ float m[Small][Small + 1];
  float *matrix = matrices + blockIdx.x * Small * Small;
  int row = threadIdx.x;
  for (int i = 0; i < Small; ++i)
    m[i][row] = matrix[i * Small + row];
  for (int k = 0; k < Small - 1; ++k) {
    __syncthreads();
    if (row > k) {
      float factor = m[row][k] / m[k][k];
      m[row][k] = factor;
      for (int column = k + 1; column < Small; ++column)
        m[row][column] -= factor * m[k][column];
    }
  }
  __syncthreads();
  for (int i = 0; i < Small; ++i)
    matrix[i * Small + row] = m[i][row];
}

static void check(const char *kernel, const std::vector<float> &lu, const std::vector<float> &want, int n) {
  std::vector<float> product(n * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k <= i && k <= j; ++k)
        product[i * n + j] += (k == i ? 1.0f : lu[i * n + k]) * lu[k * n + j];
  expect(kernel, product, want, 1e-3);
}

static std::vector<float> dominant(int n) {
  std::vector<float> matrix(n * n);
  for (int i = 0; i < n * n; ++i)
    matrix[i] = i % (n + 1) ? i * 7 % 31 / 31.0f : n;
  return matrix;
}

int main() {
  const int n = 100;
  std::vector<float> large = dominant(n), small = dominant(Small);
  Device<float> first(large), second(small);
  for (int k = 0; k < n - 1; ++k) {
    int rest = n - k - 1;
    lu_column<<<(rest + 127) / 128, 128>>>(first, n, k);
    lu_update<<<dim3((rest + 31) / 32, (rest + 7) / 8), dim3(32, 8)>>>(first, n, k);
  }
  finish("lu_update");
  check("lu_column and lu_update", first.host(), large, n);
  lu_block<<<1, Small>>>(second);
  finish("lu_block");
  check("lu_block", second.host(), small, Small);
}
