// Kernels with versions of every kind (docs/VERSIONS.md), launched at the edges of their facts: slots in dynamic shared memory
// behind the program's own, short rows, small blocks, rows of whole warps.
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
// simt: --kernel rows --block 16,16 --arg u32[1024]:random:16 --arg u32[1024]:zero
// simt: --kernel rows --block 1,33 --arg u32[1024]:random:17 --arg u32[1024]:zero
// simt: --kernel rows --block 17,9 --arg u32[1024]:random:18 --arg u32[1024]:zero
// simt: --kernel first --block 64 --arg u32[1024]:random:19 --arg u32[1024]:zero
// simt: --kernel first --block 31 --arg u32[1024]:random:20 --arg u32[1024]:zero
// simt: --kernel first --block 65 --arg u32[1024]:random:21 --arg u32[1024]:zero
// simt: --kernel warps --block 64,4 --arg u32[1024]:random:22 --arg u32[1024]:zero
// simt: --kernel warps --block 1024 --arg u32[1024]:random:23 --arg u32[1024]:zero
// simt: --kernel warps --block 48,4 --arg u32[1024]:random:24 --arg u32[1024]:zero
// simt: --kernel diagonal --block 256 --arg u32[1024]:random:25 --arg u32[1024]:zero
// simt: --kernel diagonal --block 33,2 --arg u32[1024]:random:26 --arg u32[1024]:zero

#include "agree.h"

extern __shared__ unsigned own[];

// A branch with two sides that LLVM does not make one of, and that are long enough to be melded.
#define SIDES(CONDITION)                                                                                               \
  unsigned i = linear(), a = in[i], b = in[(i + 7) % 1024];                                                            \
  if (CONDITION) {                                                                                                     \
    unsigned x = a / (b | 5);                                                                                          \
    x = a / (x | 9) + 3;                                                                                               \
    out[i] = a / (x | 1) ^ b;                                                                                          \
  } else {                                                                                                             \
    unsigned y = b ^ 0x55aa;                                                                                           \
    y = b / (y | 3);                                                                                                   \
    y = a / (y | 1) * 5;                                                                                               \
    out[i] = y / (a | 1) + y;                                                                                          \
  }

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

extern "C" __global__ void rows(const unsigned *in, unsigned *out) { SIDES(threadIdx.y & 1) }

extern "C" __global__ void first(const unsigned *in, unsigned *out) { SIDES(threadIdx.x < 40) }

extern "C" __global__ void warps(const unsigned *in, unsigned *out) { SIDES(threadIdx.x >> 5 & 1) }

extern "C" __global__ void diagonal(const unsigned *in, unsigned *out) { SIDES((threadIdx.x + threadIdx.y) >> 5 & 1) }
