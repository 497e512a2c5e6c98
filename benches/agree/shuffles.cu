// Every mode of shuffle, whole warps and segments, 32 and 64 bits; an inclusive scan; a transposition in registers.
//
// simt: --kernel shuffles --grid 4 --block 96 --arg i32[384]:random:5 --arg u32[3456]:zero --arg u64[384]:zero
// simt: --kernel shuffles --grid 2 --block 16,16 --arg i32[512]:random:6 --arg u32[4608]:zero --arg u64[512]:zero

#include "agree.h"

extern "C" __global__ void shuffles(const int *in, unsigned *out, u64 *wide) {
  unsigned i = global(), l = lane();
  unsigned v = in[i];
  unsigned *mine = out + 9 * i;
  mine[0] = __shfl_sync(~0u, v, 5);
  mine[1] = __shfl_sync(~0u, v, l * 7 + 3);
  mine[2] = __shfl_up_sync(~0u, v, 3);
  mine[3] = __shfl_down_sync(~0u, v, 9);
  mine[4] = __shfl_xor_sync(~0u, v, 21);
  mine[5] = __shfl_up_sync(~0u, v, 2, 8) + __shfl_down_sync(~0u, v, 5, 16);
  mine[6] = __shfl_xor_sync(~0u, v, 12, 8) - __shfl_sync(~0u, v, l + 1, 4);
  unsigned scan = v;
  for (int by = 1; by < 32; by *= 2) {
    unsigned below = __shfl_up_sync(~0u, scan, by);
    if (l >= by)
      scan += below;
  }
  mine[7] = scan;
  unsigned rows[4];
  for (int k = 0; k < 4; ++k)
    rows[k] = scramble(v + k);
  for (int k = 0; k < 4; ++k)
    rows[k] = __shfl_sync(~0u, rows[k], (l + k) % 4, 4);
  mine[8] = rows[0] ^ rows[1] * 3 ^ rows[2] * 5 ^ rows[3] * 7;
  u64 both = (u64)scan << 32 | (unsigned)v;
  wide[i] = __shfl_xor_sync(~0u, both, 16) + __shfl_up_sync(~0u, both, 1);
}
