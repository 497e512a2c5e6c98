// Atomics whose sum does not depend on the order, on global and shared memory, 32 and 64 bits, and a loop around a
// compare-and-swap.
//
// simt: --kernel atomics --grid 12 --block 160 --arg i32[1920]:random:7 --arg u32[96]:zero --arg u64[48]:zero --arg u32[1920]:zero --arg i32:1900

#include "agree.h"

extern "C" __global__ void atomics(const int *in, unsigned *words, u64 *wide, unsigned *own, int n) {
  __shared__ unsigned histogram[64];
  unsigned i = global(), t = linear();
  if (t < 64)
    histogram[t] = 0;
  __syncthreads();
  int v = in[i];
  if (i < n) {
    atomicAdd(&histogram[v & 63], 1u);
    unsigned slot = v >> 8 & 3;
    atomicAdd(&words[slot], v);
    atomicSub(&words[4 + slot], v);
    atomicMin((int *)&words[8 + slot], v);
    atomicMax((int *)&words[12 + slot], v);
    atomicMin(&words[16 + slot], ~v);
    atomicMax(&words[20 + slot], v);
    atomicOr(&words[24 + slot], 1u << (v & 31));
    atomicAnd(&words[28 + slot], 1u << (v & 31));
    atomicXor(&words[32 + slot], v);
    atomicInc(&words[36 + slot], 12);
    atomicDec(&words[40 + slot], 9);
    atomicAdd(&wide[slot], (u64)v << 11);
    atomicMax(&wide[4 + slot], (u64)v * v);
    atomicMin((long long *)&wide[8 + slot], (long long)v * 77);
    atomicOr(&wide[12 + slot], 1ull << (v & 63));
    atomicXor(&wide[16 + slot], (u64)v << 32 | i);
    // x := 3 x + 1 ... is no sum; but adding scramble(v) by compare-and-swap is.
    unsigned old = words[48], seen;
    do {
      seen = old;
      old = atomicCAS(&words[48], seen, seen + scramble(v));
    } while (old != seen);
  }
  __syncthreads();
  if (t < 64)
    atomicAdd(&words[(t & 31) + 52], histogram[t] * (t + 1));
  // On a word of its own a thread sees every result.
  unsigned a = atomicExch(&own[i], v), b = atomicAdd(&own[i], 5), c = atomicCAS(&own[i], v + 5, 17);
  unsigned d = atomicInc(&own[i], 3), e = atomicMax(&own[i], v);
  own[i] = a + 3 * b + 5 * c + 7 * d + 11 * e;
}
