// An array that no shared memory holds for all threads: it has to stay where it is, and lose nothing by that.
//@ launch grid=528 block=256
//@ arg idx in u32[65536] range(0,1<<32,1)
//@ arg out out u32[threads]
//@ arg rounds i32 300
//@ small grid=1 rounds=20

extern "C" __global__ __launch_bounds__(256)
void too_large_plain(const unsigned *idx, unsigned *out, int rounds) {
  unsigned table[256];
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < 256; i++) table[i] = i ^ t;
  unsigned h = t;
  for (int i = 0; i < rounds; i++) {
    unsigned r = idx[(t * 3 + i) & 65535];
    h = h * 5 + table[r & 255];
    table[(r >> 8 ^ h) & 255] = h;
  }
  out[t] = h;
}
