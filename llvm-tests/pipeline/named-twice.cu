// A build system that names the plugin twice gets what it gets once.
//
// DEFINE: %{flags} = -Rpass=warpwise -Rpass-missed=warpwise -Rpass-analysis=warpwise -S
// RUN: %clang_cuda %s %{flags} -o %t.once > %t.said-once 2>&1
// RUN: %clang_cuda %s %{flags} -fpass-plugin=%plugin -o %t.twice > %t.said-twice 2>&1
// RUN: diff %t.once %t.twice
// RUN: diff %t.said-once %t.said-twice
// RUN: %FileCheck %s --input-file=%t.said-twice
// CHECK: remark: lanes 16 bytes apart

__global__ void k(float *p, int n) {
  if (threadIdx.x < n)
    p[4 * threadIdx.x] = n;
  for (int i = 0; i < n; ++i)
    p[n * i] += p[threadIdx.x & i];
}
