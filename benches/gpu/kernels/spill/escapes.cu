// A local array handed to a function that is not inlined: it escapes, and has to stay.
//@ launch grid=1056 block=128
//@ arg idx in u32[65536] range(0,1<<32,1)
//@ arg out out u32[threads]
//@ arg rounds i32 200
//@ small grid=1 rounds=10

__device__ __noinline__ unsigned stir(unsigned *state, unsigned at) {
  unsigned a = state[at & 7], b = state[at >> 3 & 7];
  state[at >> 6 & 7] = a * 5 + (b ^ at);
  return a + b;
}

extern "C" __global__ __launch_bounds__(128)
void escapes_plain(const unsigned *idx, unsigned *out, int rounds) {
  unsigned state[8];
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < 8; i++) state[i] = t + i;
  unsigned h = 0;
  for (int i = 0; i < rounds; i++) h ^= stir(state, idx[(t * 3 + i) & 65535]);
  out[t] = h;
}
