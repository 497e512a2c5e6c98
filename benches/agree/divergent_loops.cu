// Lanes that leave their loop in different iterations, with breaks and continues, and a loop in a loop; visits and splits of
// every branch are counted.
//
// simt: --kernel divergent_loops --grid 6 --block 128 --arg u32[768]:zero --arg u32[16]:zero --arg i32:700
// simt: --kernel divergent_loops --grid 2 --block 33 --arg u32[66]:zero --arg u32[16]:zero --arg i32:60
// counts: 1

#include "agree.h"

extern "C" __global__ void divergent_loops(unsigned *out, unsigned *counts, int n) {
  unsigned i = global();
  if (at(counts, 0, i >= n))
    return;
  unsigned x = i + 1, steps = 0;
  while (at(counts, 1, x != 1)) {
    if (at(counts, 2, x & 1))
      x = 3 * x + 1;
    else
      x /= 2;
    ++steps;
  }
  unsigned sum = 0;
  for (unsigned k = 0; at(counts, 3, k < 20); ++k) {
    unsigned r = scramble(i * 31 + k);
    if (at(counts, 4, r % 5 == 0))
      continue;
    if (at(counts, 5, r % 17 == 0))
      break;
    for (unsigned j = 0; at(counts, 6, j < (r & 3)); ++j)
      sum += r >> j;
    sum ^= r;
  }
  out[i] = steps * 65536 + sum;
}
