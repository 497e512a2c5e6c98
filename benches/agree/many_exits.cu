// Loops that are left in several places: a break, a break out of two loops, a return; votes among whoever is left.
//
// simt: --kernel many_exits --grid 5 --block 64 --arg i32[4096]:random:8 --arg u32[640]:zero --arg u32[12]:zero
// counts: 2

#include "agree.h"

extern "C" __global__ void many_exits(const int *in, unsigned *out, unsigned *counts) {
  unsigned i = global(), found = 0, k = 0;
  for (; at(counts, 0, k < 40); ++k) {
    int v = in[(i * 13 + k * 7) & 4095];
    if (at(counts, 1, v % 29 == 0))
      break;
    if (at(counts, 2, v % 53 == 0)) {
      out[2 * i] = k + 1000;
      return;
    }
    for (unsigned j = 0; at(counts, 3, j < 5); ++j) {
      int w = in[(v + j) & 4095];
      if (at(counts, 4, w % 31 == 0))
        goto outside;
      if (at(counts, 5, (w & 7) == 0))
        break;
      found += w & 7;
    }
    found = found * 3 + 1;
  }
outside:
  out[2 * i] = found;
  out[2 * i + 1] = k;
}
