// Memory of a thread's own: arrays with dynamic indices, bytes of words, structures, copies, a stack machine; constant
// memory and structures passed by value.
//
// simt: --kernel stacks --grid 4 --block 100 --arg u32[400]:random:10 --arg u32[2000]:zero --arg bytes:0100000002000000030000000400000005000000060000000700000008000000

#include "agree.h"

struct Eight {
  unsigned word[8];
};
__constant__ unsigned primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};

extern "C" __global__ void stacks(const unsigned *in, unsigned *out, Eight by_value) {
  unsigned i = global(), v = in[i];
  unsigned stack[16];
  int depth = 0;
  stack[depth++] = v;
  for (int k = 0; k < 40; ++k) {
    v = scramble(v + k);
    if (depth < 16 && (v & 1)) {
      stack[depth++] = v >> 4;
    } else if (depth > 1) {
      unsigned top = stack[--depth];
      stack[depth - 1] = stack[depth - 1] * 3 + top;
    }
  }
  out[5 * i] = stack[depth - 1] + depth;
  unsigned char bytes[24];
  for (int k = 0; k < 24; ++k)
    bytes[k] = v >> (k & 7) ^ k;
  for (int k = 0; k < 24; ++k)
    bytes[(v + k) % 24] += bytes[k];
  unsigned hash = 0;
  for (int k = 0; k < 24; ++k)
    hash = hash * 31 + bytes[k];
  out[5 * i + 1] = hash;
  Eight copy = by_value, other = copy;
  other.word[v & 7] += i;
  copy = (v & 16) ? other : copy;
  out[5 * i + 2] = copy.word[v >> 8 & 7] + by_value.word[i & 7];
  out[5 * i + 3] = primes[v >> 12 & 7] * primes[2];
  u64 pair[4] = {v, ~v, i, 3};
  unsigned *halves = (unsigned *)pair;
  halves[v & 7] ^= 0x55;
  out[5 * i + 4] = (unsigned)(pair[v >> 3 & 3] >> 16) + halves[5];
}
