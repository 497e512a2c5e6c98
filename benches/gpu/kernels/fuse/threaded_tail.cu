// Work after a join that depends on which side was taken: a compiler that threads jumps copies the tail into both.
//@ launch grid=1056 block=256
//@ arg in in u32[threads] range(0,1<<32,1)
//@ arg out out u32[threads]
//@ arg iters i32 200
//@ small grid=2 iters=8
//@ also map

extern "C" __global__ void threaded_tail_plain(const unsigned *in, unsigned *out, int iters) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = in[t], y = 1;
  for (int i = 0; i < iters; i++) {
    bool odd = x & 1;
    if (odd) x = x * 3 + 1;
    else x = x >> 1 ^ y;
    unsigned h = x * 2654435761u;
    h = h / (y | 3) + (h >> 3);
    h ^= h << 9;
    h = h / 7 + x;
    if (odd) y = y + h;
    else y = y ^ h;
  }
  out[t] = x + y;
}
