// A build without -O hears once that nothing happens, whatever it asked for and however many kernels there are.
//
// DEFINE: %{flags} = -O0 -S -o /dev/null
// RUN: %clang_cuda %s %{flags} -Rpass=warpwise -Rpass-missed=warpwise -Rpass-analysis=warpwise 2>&1 | %FileCheck %s --implicit-check-not=remark:
// RUN: %clang_cuda %s %{flags} -Rpass-analysis=warpwise 2>&1 | %FileCheck %s --implicit-check-not=remark:
// RUN: %clang_cuda %s %{flags} 2>&1 | count 0

// CHECK: unoptimised.cu:[[#@LINE+1]]:1: remark: compiled at -O0: nothing is transformed, {{.*}}; compile with -O1 or more
__global__ void one(float *p, int n) {
  if (threadIdx.x < n)
    p[4 * threadIdx.x] = 0;
}
__global__ void two(float *p, int n) { p[n * threadIdx.x] = 0; }
