// A histogram per thread with one byte a bin: sub-word elements at divergent places.
//@ launch grid=1056 block=128
//@ arg data in u32[threads+4096] range(0,1<<32,1)
//@ arg out out u32[threads]
//@ arg rounds i32 256
//@ small grid=2 rounds=16
//@ also map

extern "C" __global__ __launch_bounds__(128)
void byte_histogram_plain(const unsigned *data, unsigned *out, int rounds) {
  unsigned char bins[64];
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int b = 0; b < 64; b++) bins[b] = 0;
  for (int i = 0; i < rounds; i++) {
    unsigned v = data[t + (i * 61 & 4095)];
    bins[v & 63]++;
    bins[v >> 6 & 63]++;
    bins[v >> 12 & 63]++;
  }
  unsigned sum = 0;
  for (int b = 0; b < 64; b++) sum = sum * 31 + bins[b];
  out[t] = sum;
}

// Four bins a word, a word of each lane side by side: every lane stays in its own bank.
extern "C" __global__ __launch_bounds__(128)
void byte_histogram_by_hand(const unsigned *data, unsigned *out, int rounds) {
  __shared__ unsigned words[16][128];
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned char *mine = (unsigned char *)&words[0][threadIdx.x];
  for (int w = 0; w < 16; w++) words[w][threadIdx.x] = 0;
  for (int i = 0; i < rounds; i++) {
    unsigned v = data[t + (i * 61 & 4095)];
    unsigned a = v & 63, b = v >> 6 & 63, c = v >> 12 & 63;
    mine[(a & ~3u) * 128 + (a & 3)]++;
    mine[(b & ~3u) * 128 + (b & 3)]++;
    mine[(c & ~3u) * 128 + (c & 3)]++;
  }
  unsigned sum = 0;
  for (int b = 0; b < 64; b++) sum = sum * 31 + mine[(b & ~3) * 128 + (b & 3)];
  out[t] = sum;
}
