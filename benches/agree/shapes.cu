// Who is who: indices, lanes and warps in blocks whose rows are no whole warps.
//
// simt: --kernel shapes --grid 2,3 --block 65,2 --arg u32[4680]:zero --arg u32[4]:zero
// simt: --kernel shapes --grid 2,1,2 --block 7,5,3 --arg u32[2520]:zero --arg u32[4]:zero
// simt: --kernel shapes --grid 1 --block 1 --arg u32[6]:zero --arg u32[4]:zero
// counts: 1

#include "agree.h"

extern "C" __global__ void shapes(unsigned *out, unsigned *counts) {
  unsigned i = global(), lane_id, mask;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane_id));
  asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  unsigned *mine = out + 6 * i;
  mine[0] = lane_id;
  mine[1] = mask;
  mine[2] = threadIdx.x | threadIdx.y << 8 | threadIdx.z << 16;
  mine[3] = blockIdx.x | blockIdx.y << 8 | blockIdx.z << 16;
  mine[4] = __activemask();
  if (at(counts, 0, threadIdx.x % 2 == threadIdx.y % 2))
    mine[5] = __popc(__ballot_sync(__activemask(), true));
  else
    mine[5] = threadIdx.x / 32;
  at(counts, 1, threadIdx.y == 0);
}
