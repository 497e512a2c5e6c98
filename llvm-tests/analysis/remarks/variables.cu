// With full debug information, which clang keeps of optimised device code on demand only, remarks use the names of variables.
//
// RUN: %clang_cuda %s -g --cuda-noopt-device-debug -Rpass-analysis=warpwise -S -o /dev/null 2>&1 | %FileCheck %s

__global__ void k(const int *weights, int limit, float *out) {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: remark: branch diverges: `weights[threadIdx.x] < limit`
  if (weights[threadIdx.x] < limit) {
    __syncthreads();
    out[threadIdx.x] = 1;
  }
}
