// The sum of the odd rows of a matrix's upper triangle, column by column: the loop diverges, the branch in it does not.
//
// `end` grows with the thread's index times `n`, so the threads of a warp leave the loop in different turns. While they
// are in it together they agree on `turn`, and so on `turn % 2`: that branch is uniform. After the loop each thread
// holds the turn in which it left: the same variable is divergent there. (Figure 2.1 of D. Sampaio's dissertation on
// divergence analysis with affine constraints, UFMG 2013, in our own words.)
//
// Without arguments: runs one small case on the GPU and checks it against the CPU.
//
// simt: --kernel sumTriangle --block 64 --arg f32[2500]:fill:1 --arg f32[50]:zero --arg i32:50
// expect: 1[0] = 0, 1, 1, 2, 2, 3, 3

#include <cstdio>
#include <cstdlib>
#include <vector>

extern "C" __global__ void sumTriangle(const float *matrix, float *sums, int n) {
  int column = threadIdx.x;
  if (column < n) {
    int turn = 0;
    float sum = 0.0f;
    int end = (column + 1) * n;
    for (int i = column; i < end; i += n) {
      if (turn % 2)
        sum += matrix[i];
      turn += 1;
    }
    sums[turn - 1] = sum;
  }
}

static void require(cudaError_t status, const char *what) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "error: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
  }
}

int main() {
  const int n = 100, threads = 128; // the last warp is partly idle
  std::vector<float> matrix(n * n), sums(n);
  for (int i = 0; i < n * n; ++i)
    matrix[i] = (i * 7 % 31) - 15.0f; // small integers: sums are exact in any order

  float *deviceMatrix, *deviceSums;
  require(cudaMalloc(&deviceMatrix, matrix.size() * sizeof(float)), "cudaMalloc");
  require(cudaMalloc(&deviceSums, sums.size() * sizeof(float)), "cudaMalloc");
  require(cudaMemcpy(deviceMatrix, matrix.data(), matrix.size() * sizeof(float), cudaMemcpyHostToDevice), "copy in");
  sumTriangle<<<1, threads>>>(deviceMatrix, deviceSums, n);
  require(cudaGetLastError(), "launch");
  require(cudaMemcpy(sums.data(), deviceSums, sums.size() * sizeof(float), cudaMemcpyDeviceToHost), "copy out");

  for (int column = 0; column < n; ++column) {
    float sum = 0.0f;
    for (int row = 1; row <= column; row += 2)
      sum += matrix[row * n + column];
    if (sums[column] != sum) {
      std::fprintf(stderr, "error: column %d: got %g, want %g\n", column, sums[column], sum);
      return 1;
    }
  }
  std::printf("sumTriangle: %d columns as expected\n", n);
}
