// The average of each column of a square matrix: no branch of the loop diverges.
//
// `i` starts at the thread's index and `end` lies a whole matrix further, so both are "thread index + something all
// threads agree on". In `i < end` the thread index cancels: every thread makes the same number of turns, and `count`
// is uniform, in the loop and after it. Only the guard `column < n` diverges. (Figure 2.1 of D. Sampaio's
// dissertation on divergence analysis with affine constraints, UFMG 2013, in our own words.)
//
// Without arguments: runs one small case on the GPU and checks it against the CPU.
//
// simt: --kernel avgSquare --block 64 --arg f32[2500]:iota --arg f32[50]:zero --arg i32:50
// expect: 1[0] = 1225, 1226, 1227

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

extern "C" __global__ void avgSquare(const float *matrix, float *average, int n) {
  int column = threadIdx.x;
  if (column < n) {
    int count = 0;
    float sum = 0.0f;
    int end = column + n * n;
    for (int i = column; i < end; i += n) {
      sum += matrix[i];
      count += 1;
    }
    average[column] = sum / count;
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
  std::vector<float> matrix(n * n), average(n);
  for (int i = 0; i < n * n; ++i)
    matrix[i] = (i * 7 % 31) - 15.0f; // small integers: sums are exact in any order

  float *deviceMatrix, *deviceAverage;
  require(cudaMalloc(&deviceMatrix, matrix.size() * sizeof(float)), "cudaMalloc");
  require(cudaMalloc(&deviceAverage, average.size() * sizeof(float)), "cudaMalloc");
  require(cudaMemcpy(deviceMatrix, matrix.data(), matrix.size() * sizeof(float), cudaMemcpyHostToDevice), "copy in");
  avgSquare<<<1, threads>>>(deviceMatrix, deviceAverage, n);
  require(cudaGetLastError(), "launch");
  require(cudaMemcpy(average.data(), deviceAverage, average.size() * sizeof(float), cudaMemcpyDeviceToHost),
          "copy out");

  for (int column = 0; column < n; ++column) {
    float sum = 0.0f;
    for (int row = 0; row < n; ++row)
      sum += matrix[row * n + column];
    if (std::fabs(average[column] - sum / n) > 1e-5f) {
      std::fprintf(stderr, "error: column %d: got %g, want %g\n", column, average[column], sum / n);
      return 1;
    }
  }
  std::printf("avgSquare: %d columns as expected\n", n);
}
