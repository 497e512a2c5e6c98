// Whether a kernel spills is estimated; with -warpwise-ptxas it is ptxas that says so. Here the estimate says that 32 registers
// suffice.
// RUN: %clang_cuda %s -mllvm -warpwise-tune -Rpass=warpwise -S -o %t.s 2>&1 | %FileCheck %s --check-prefix=ESTIMATE --allow-empty
// RUN: %ptxas -arch=sm_90 -v %t.s -o %t.cubin 2>&1 | %FileCheck %s --check-prefix=SPILLS
// RUN: %clang_cuda %s -mllvm -warpwise-tune -mllvm -warpwise-ptxas=%ptxas -Rpass=warpwise -S -o %t.s 2>&1 | %FileCheck %s
// RUN: %ptxas -arch=sm_90 -v %t.s -o %t.cubin 2>&1 | %FileCheck %s --check-prefix=PTXAS
// ESTIMATE-NOT: smem
// SPILLS: {{[1-9][0-9]*}} bytes spill stores
// CHECK: to be measured in the program: plain, smem (code
// PTXAS: Compiling entry function 'spills$t1'
// PTXAS: 0 bytes stack frame, 0 bytes spill stores
// PTXAS: Used {{.*}} bytes smem
// PTXAS: Compiling entry function 'spills'
// PTXAS: {{[1-9][0-9]*}} bytes spill stores

extern "C" __global__ void __launch_bounds__(256, 8) spills(const float *in, float *out, int n) {
  float v[28];
  int at = threadIdx.x + blockIdx.x * 256;
#pragma unroll
  for (int i = 0; i < 28; i++)
    v[i] = in[at * 28 + i];
  for (int round = 0; round < n; round++) {
#pragma unroll
    for (int i = 0; i < 28; i++)
      v[i] = v[i] * v[(i + 1) % 28] + v[(i + 7) % 28];
  }
#pragma unroll
  for (int i = 0; i < 28; i++)
    out[at * 28 + i] = v[i];
}
