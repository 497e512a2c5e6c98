// A Bloom filter: the twenty places of a key, looked up in one filter after the other.
//@ launch grid=1056 block=256
//@ arg filters in u32[2048] range(0,1<<32,1)
//@ arg out out u32[threads]
//@ arg count i32 200
//@ small grid=2 count=6
//@ regs 24

constexpr int N = 20;

extern "C" __global__ void few_filter_plain(const unsigned *filters, unsigned *out, int count) {
  unsigned key = blockIdx.x * blockDim.x + threadIdx.x, place[N], found = 0;
#pragma unroll
  for (unsigned j = 0; j < N; j++) {
    unsigned h = (key ^ j * 0x9e3779b9u) * 0x85ebca6bu;
    place[j] = (h ^ h >> 15) & 1023;
  }
#pragma unroll 1
  for (int f = 0; f < count; f++) {
    const unsigned *words = filters + (f & 63) * 32;
    unsigned all = 1;
#pragma unroll
    for (int j = 0; j < N; j++) all &= words[place[j] >> 5] >> (place[j] & 31);
    found = found * 3 + all;
  }
  out[key] = found;
}
