// A diamond whose sides begin alike and end differently: whole numbers on one side, divisions on the other.
//@ launch grid=1056 block=256
//@ arg in in u32[threads] range(1,100000,1)
//@ arg out out u32[threads]
//@ arg iters i32 400
//@ small grid=2 iters=8
//@ also map

extern "C" __global__ void unalike_tails_plain(const unsigned *in, unsigned *out, int iters) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = in[t], y = x ^ 0x55u;
  for (int i = 0; i < iters; i++) {
    if ((x + i) & 1) {
      unsigned a = (x ^ y) * 2654435761u;
      a = a >> 7 ^ a << 3;
      x = x + (a & 0xffff) + 1;
      y = __popc(a) * 3 + y;
    } else {
      unsigned a = (y ^ x) * 2246822519u;
      a = a >> 9 ^ a << 5;
      x = a / (y | 1) + x;
      y ^= x * 5;
    }
  }
  out[t] = x ^ y;
}
