// Numbers of twelve 64-bit words per thread, shifted by amounts that differ and added: eight-byte elements at
// divergent places.
//@ launch grid=1056 block=128
//@ arg in in u64[65536] range(0,1<<62,1)
//@ arg out out u64[threads]
//@ arg rounds i32 60
//@ small grid=2 rounds=6

constexpr int W = 12;

extern "C" __global__ __launch_bounds__(128)
void long_words_plain(const unsigned long long *in, unsigned long long *out, int rounds) {
  unsigned long long a[W];
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < W; i++) a[i] = in[(t * 7 + i) & 65535];
  for (int r = 0; r < rounds; r++) {
    int shift = (int)(a[r % W] >> 5 & 7);
    unsigned long long carry = 0;
    for (int i = 0; i < W; i++) {
      unsigned long long b = i >= shift ? a[i - shift] : a[W - 1 - i];
      unsigned long long s = a[i] + carry;
      carry = s < carry;
      a[i] = s + (b ^ r);
      carry += a[i] < s;
    }
  }
  unsigned long long h = 0;
  for (int i = 0; i < W; i++) h = h * 1000003 ^ a[i];
  out[t] = h;
}

extern "C" __global__ __launch_bounds__(128)
void long_words_by_hand(const unsigned long long *in, unsigned long long *out, int rounds) {
  __shared__ unsigned long long a[W][128];
  int t = blockIdx.x * blockDim.x + threadIdx.x, me = threadIdx.x;
  for (int i = 0; i < W; i++) a[i][me] = in[(t * 7 + i) & 65535];
  for (int r = 0; r < rounds; r++) {
    int shift = (int)(a[r % W][me] >> 5 & 7);
    unsigned long long carry = 0;
    for (int i = 0; i < W; i++) {
      unsigned long long b = i >= shift ? a[i - shift][me] : a[W - 1 - i][me];
      unsigned long long s = a[i][me] + carry;
      carry = s < carry;
      s += b ^ r;
      carry += s < (s - (b ^ r));
      a[i][me] = s;
    }
  }
  unsigned long long h = 0;
  for (int i = 0; i < W; i++) h = h * 1000003 ^ a[i][me];
  out[t] = h;
}
