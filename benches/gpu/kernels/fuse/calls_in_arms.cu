// Each side calls the same function, which is not inlined, with arguments of its own.
//@ launch grid=1056 block=256
//@ arg in in u32[threads] range(0,1<<32,1)
//@ arg out out u32[threads]
//@ arg iters i32 100
//@ small grid=2 iters=8

__device__ __noinline__ unsigned stir(unsigned a, unsigned b) {
  for (int i = 0; i < 4; i++) {
    a = (a ^ b >> 5) * 2654435761u;
    b = (b + a) * 2246822519u ^ a >> 11;
  }
  return a ^ b;
}

extern "C" __global__ void calls_in_arms_plain(const unsigned *in, unsigned *out, int iters) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = in[t], y = t;
  for (int i = 0; i < iters; i++) {
    if (x & 1) x = stir(x + 3, y) + i;
    else y = stir(y, x ^ 7) - i, x++;
  }
  out[t] = x ^ y;
}

extern "C" __global__ void calls_in_arms_by_hand(const unsigned *in, unsigned *out, int iters) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = in[t], y = t;
  for (int i = 0; i < iters; i++) {
    bool c = x & 1;
    unsigned r = stir(c ? x + 3 : y, c ? y : x ^ 7);
    unsigned nx = c ? r + i : x + 1;
    y = c ? y : r - i;
    x = nx;
  }
  out[t] = x ^ y;
}
