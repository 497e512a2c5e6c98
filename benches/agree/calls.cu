// Device functions that stay functions: several returns, recursion of different depths, calls through a table.
//
// simt: --kernel calls --grid 3 --block 96 --arg u32[864]:zero --arg i32:11

#include "agree.h"

__device__ __noinline__ unsigned several(unsigned x, int n) {
  if (x % 3 == 0)
    return x / 3;
  for (int k = 0; k < n; ++k) {
    x = scramble(x);
    if (x % 13 == 0)
      return x ^ k;
  }
  return ~x;
}

__device__ __noinline__ unsigned fibonacci(unsigned n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n) {
  if (m == 0)
    return n + 1;
  return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

__device__ __noinline__ unsigned twice(unsigned x) { return 2 * x; }
__device__ __noinline__ unsigned flip(unsigned x) { return __brev(x); }
__device__ __noinline__ unsigned step(unsigned x) { return x + 12345; }

typedef unsigned (*Function)(unsigned);
__constant__ const Function table[3] = {twice, flip, step};

extern "C" __global__ void calls(unsigned *out, int n) {
  unsigned i = global();
  out[3 * i] = several(i, n) + fibonacci(i % 9);
  out[3 * i + 1] = ackermann(i % 3, i % 4);
  unsigned x = i;
  for (int k = 0; k < n; ++k)
    x = table[(x + k) % 3](x);
  out[3 * i + 2] = x;
}
