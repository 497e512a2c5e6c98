// Votes, ballots, matches and reductions, with full masks, under guards, and among the lanes of a divergent branch.
//
// simt: --kernel votes --grid 5 --block 128 --arg i32[640]:random:3 --arg u32[7680]:zero --arg i32:640
// simt: --kernel votes --grid 3 --block 65,2 --arg i32[390]:random:4 --arg u32[4680]:zero --arg i32:333

#include "agree.h"

extern "C" __global__ void votes(const int *in, unsigned *out, int n) {
  unsigned i = global();
  unsigned *mine = out + 12 * i;
  int v = in[i];
  unsigned whole = __ballot_sync(~0u, true); // fewer than 32 lanes in the last warp of an odd block
  mine[0] = whole;
  mine[1] = __any_sync(whole, v % 7 == 0) + 2 * __all_sync(whole, v % 7 != 0) + 4 * __all_sync(whole, n > 5);
  mine[2] = __ballot_sync(whole, v < 0);
  mine[3] = __match_any_sync(whole, v & 3);
  int all;
  mine[4] = __match_all_sync(whole, v >> 31, &all);
  mine[5] = all;
  unsigned odd = __ballot_sync(whole, v & 1);
  if (v & 1) {
    mine[6] = __ballot_sync(odd, v & 2);
    mine[7] = __reduce_min_sync(odd, v);
    mine[8] = __shfl_sync(odd, v, __ffs(odd) - 1);
  } else {
    mine[7] = __reduce_or_sync(whole & ~odd, v) ^ __reduce_and_sync(whole & ~odd, (unsigned)v);
    mine[8] = __match_any_sync(whole & ~odd, (long long)(v & 6) << 33);
  }
  __syncwarp(whole);
  if (i >= n)
    return;
  // Those past n are gone: a full mask means the ones that are left.
  mine[9] = __ballot_sync(~0u, v & 4);
  mine[10] = __popc(__ballot_sync(~0u, v & 8) & ((1u << lane()) - 1));
  mine[11] = __reduce_add_sync(~0u, v & 0xff);
}
