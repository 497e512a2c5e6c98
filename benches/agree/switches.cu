// A switch with shared and falling-through cases in a loop: a small interpreter, every lane with its own program.
//
// simt: --kernel switches --grid 4 --block 192 --arg u32[768]:zero --arg u32[8]:zero --arg i32:24
// counts: 1

#include "agree.h"

extern "C" __global__ void switches(unsigned *out, unsigned *counts, int turns) {
  unsigned i = global(), a = i, b = 7, pc = i % 3;
  for (int turn = 0; at(counts, 0, turn < turns); ++turn) {
    unsigned code = scramble(pc * 97 + (i >> 2)) % 11;
    switch (code) {
    case 0:
    case 3:
      a += b;
      break;
    case 1:
      a *= 5;
      // falls through
    case 2:
      b ^= a >> 3;
      break;
    case 4:
      if (at(counts, 1, a & 8))
        pc += 2;
      break;
    case 5:
      b = __brev(b);
      break;
    case 6:
      turn += 1;
      // falls through
    case 7:
      a -= turn;
      break;
    case 9:
      a = __popc(a) + b;
      break;
    default:
      b += code;
    }
    ++pc;
  }
  out[i] = a ^ b * 31;
}
