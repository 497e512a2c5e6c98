// From CUDA to a cubin: ptxas takes the instrumented code, the symbols are in it, and lines are known.
// RUN: %clang_cuda %s -S -mllvm -warpwise-profile-generate=name:t -o %t.ptx -Rpass=warpwise 2>&1 | %FileCheck %s --check-prefix=REMARK
// RUN: %FileCheck %s < %t.ptx
// RUN: %ptxas -arch=sm_90 %t.ptx -o %t.cubin
// RUN: %clang_cuda %s -O0 -S -mllvm -warpwise-profile-generate=name:t -o %t.0.ptx
// RUN: %FileCheck %s < %t.0.ptx

// REMARK: cuda.cu:[[@LINE+8]]:1: remark: divergence map: {{[0-9]+}} of {{[0-9]+}} branches are counted
// CHECK-DAG: .visible .global .align 128 .b8 __warpwise_map_t_counters[
// CHECK-DAG: .visible .global .align 16 .b8 __warpwise_map_t_table[
// CHECK-DAG: .visible .global .align 8 .u64 __warpwise_map_t[4]
// CHECK-DAG: .weak .global .align 8 .u64 __warpwise_map[4]
// CHECK: activemask.b32

extern "C"
__global__ void collatz(int *steps, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int count = 0;
  for (unsigned x = i + 1; x != 1; count++)
    x = x % 2 ? 3 * x + 1 : x / 2;
  steps[i] = count;
}
