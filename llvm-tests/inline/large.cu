// A function of more than 5000 instructions is not inlined.
//
// RUN: %clang_cuda %s -O2 -Rpass=warpwise -Rpass-missed=warpwise -S -emit-llvm -o /dev/null 2>&1 | %FileCheck %s

#define TEN(X) X X X X X X X X X X

struct Pair {
  int first, second;
};

extern "C" __device__ void large(Pair &pair, volatile int *out) {
  TEN(TEN(TEN(*out; *out;)))
  TEN(TEN(TEN(*out; *out;)))
  TEN(TEN(TEN(*out; *out;)))
  pair.second = *out;
}

extern "C" __global__ void kernel(int *out, int x) {
  Pair pair = {x, 1};
  // CHECK: large.cu:[[#@LINE+1]]:{{.*}} stack object {{.*}} stays in local memory: not in registers: the function that takes its address would bring {{[0-9]+}} instructions into kernels; at most 5000 are inlined; not in shared memory: its address is passed to a call
  large(pair, out);
  *out = pair.second;
}
