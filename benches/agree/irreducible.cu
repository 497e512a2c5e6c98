// A loop with two entries, which no structured program has. Where its lanes meet is ptxas's own choice, so its counts may
// differ; what it computes may not.
//
// simt: --kernel irreducible --grid 3 --block 128 --arg u32[384]:zero --arg u32[8]:zero
// free-counts: 1

#include "agree.h"

extern "C" __global__ void irreducible(unsigned *out, unsigned *counts) {
  unsigned i = global(), x = scramble(i), fuel = 30, sum = 0;
  if (at(counts, 0, x & 1))
    goto middle;
top:
  sum += x & 15;
  x = scramble(x + 1);
  if (at(counts, 1, (x & 3) == 0))
    goto done;
middle:
  sum ^= x >> 7;
  x = scramble(x + 2);
  if (at(counts, 2, (x & 1) && --fuel))
    goto top;
  sum *= 3;
  if (at(counts, 3, (x & 12) && --fuel))
    goto middle;
done:
  out[i] = sum + (fuel << 24);
}
