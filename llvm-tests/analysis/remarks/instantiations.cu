// Instantiations of which the same is said share a remark; where they differ, the remark says which one it is about.
//
// RUN: %clang_cuda %s -g1 -Rpass-analysis=warpwise -S -o /dev/null 2>&1 | %FileCheck %s

template <class T> __global__ void k(const int *in, T *out, int limit) {
  // CHECK-DAG: [[#@LINE+1]]:{{[0-9]+}}: remark: branch diverges: {{.*}}; 2 times here
  if (in[threadIdx.x] < limit) {
    __syncthreads();
    // CHECK-DAG: [[#@LINE+2]]:{{[0-9]+}}: remark: lanes 12 bytes apart: {{.*}}; in k<float>
    // CHECK-DAG: [[#@LINE+1]]:{{[0-9]+}}: remark: lanes 24 bytes apart: {{.*}}; in k<double>
    out[3 * threadIdx.x] = 1;
  }
}
template __global__ void k<float>(const int *, float *, int);
template __global__ void k<double>(const int *, double *, int);
