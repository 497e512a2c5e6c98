// Kernels with versions (docs/VERSIONS.md), launched with blocks of all kinds: slots in dynamic shared memory behind the
// program's own.
//
// simt: --kernel ring --block 1 --arg u32[1024]:random:1 --arg u32[1024]:zero
// simt: --kernel ring --block 31 --arg u32[1024]:random:2 --arg u32[1024]:zero
// simt: --kernel ring --block 33 --arg u32[1024]:random:3 --arg u32[1024]:zero
// simt: --kernel ring --grid 2 --block 7,5,3 --arg u32[1024]:random:4 --arg u32[1024]:zero
// simt: --kernel ring --block 384 --arg u32[1024]:random:5 --arg u32[1024]:zero
// simt: --kernel ring --block 416 --arg u32[1024]:random:6 --arg u32[1024]:zero
// simt: --kernel ring --block 1024 --arg u32[1024]:random:7 --arg u32[1024]:zero
// simt: --kernel behind --block 33 --dynamic-shared 132 --arg u32[1024]:random:8 --arg u32[1024]:zero
// simt: --kernel behind --grid 3 --block 16,16 --dynamic-shared 1028 --arg u32[1024]:random:9 --arg u32[1024]:zero

#include "agree.h"

extern __shared__ unsigned own[];

// Words at places that the data choose.
extern "C" __global__ void ring(const unsigned *in, unsigned *out) {
  unsigned words[32], i = global(), v = in[i], sum = 0;
  for (int k = 0; k < 32; ++k)
    words[k] = scramble(v + k);
  for (int k = 0; k < 50; ++k) {
    v = scramble(v + k);
    sum = sum * 5 + words[v % 32];
    words[(v >> 8) % 32] = sum;
  }
  out[i] = sum;
}

// The same beside dynamic shared memory of the program's own, which neighbours read.
extern "C" __global__ void behind(const unsigned *in, unsigned *out) {
  unsigned words[16], i = global(), threads = blockDim.x * blockDim.y * blockDim.z, v = in[i];
  own[linear()] = v;
  for (int k = 0; k < 16; ++k)
    words[k] = v ^ k;
  __syncthreads();
  for (int k = 0; k < 40; ++k) {
    v = scramble(v + own[(linear() + k) % threads]);
    words[v % 16] += words[(v >> 8) % 16] + k;
  }
  out[i] = words[v % 16] + v;
}
