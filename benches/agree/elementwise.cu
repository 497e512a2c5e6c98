// An element a thread, as coarsen-threads has one thread do four: bounds, rows, bytes and halves, places that are aligned or
// not.
//
// simt: -k scaled --grid 9 --block 96 -a f32[1024]:zero -a f32[1024]:random:1 -a i32:801
// simt: -k scaled --grid 8 --block 96 -a f32[1024]:zero -a f32[1024]:random:1 -a i32:1000
// simt: -k constant --grid 6 --block 128 -a i32[1024]:zero -a i32[1024]:iota
// simt: -k constant --grid 6 --block 64 -a i32[1024]:zero -a i32[1024]:iota
// simt: -k image --grid 5,3 --block 16,4 -a f32[2048]:zero -a i32[2048]:random:2 -a i32:76 -a i32:10
// simt: -k image --grid 5,3 --block 16,4 -a f32[2048]:zero -a i32[2048]:random:2 -a i32:75 -a i32:10
// simt: -k narrow --grid 12 --block 33 -a i32[1024]:zero -a i32[1024]:random:3 -a i32:333
// simt: -k far --grid 8 --block 32 -a i32[1024]:zero -a i32[1024]:random:4 -a i32:-40 -a i32:30
// simt: -k pairs --grid 4 --block 64 -a f32[2048]:zero -a f32[2048]:random:5 -a i32:250
#include "agree.h"

extern "C" __global__ void scaled(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * 3.0f;
}

extern "C" __global__ void constant(unsigned *out, const unsigned *in) {
  unsigned i = blockIdx.x * 128 + threadIdx.x;
  out[i] = scramble(in[i]) + i;
}

extern "C" __global__ void image(float *out, const unsigned char *in, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    out[y * width + x] = in[y * width + x] + x;
}

extern "C" __global__ void narrow(short *out, const signed char *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  out[i] = in[i] < 0 ? -in[i] : in[i] * 2;
}

extern "C" __global__ void far(unsigned *out, const unsigned *in, unsigned below, unsigned bound) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + below > bound)
    out[i] = in[i] ^ i;
}

extern "C" __global__ void pairs(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[2 * i] = in[2 * i + 1];
    out[2 * i + 1] = in[2 * i];
  }
}
