// Quantising the coefficients of a cosine transform: rounding goes away from zero, so the two signs have a side each.
//@ launch grid=2112 block=256
//@ arg in in i32[threads*8] range(-2000,2000,1)
//@ arg step in i32[64] range(3,60,2)
//@ arg out out i32[threads*8]
//@ small grid=2
//@ also map

extern "C" __global__ void dct_quantise_plain(const int *in, const int *step, int *out) {
  int all = gridDim.x * blockDim.x, t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < 8; i++) {
    int v = in[i * all + t], q = step[(t + i * 8) & 63], half = q >> 1, r;
    if (v < 0) {
      v = half - v;
      r = v / q;
      r = -(r * q);
    } else {
      v = half + v;
      r = v / q;
      r = r * q;
    }
    out[i * all + t] = r;
  }
}

extern "C" __global__ void dct_quantise_by_hand(const int *in, const int *step, int *out) {
  int all = gridDim.x * blockDim.x, t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < 8; i++) {
    int v = in[i * all + t], q = step[(t + i * 8) & 63], half = q >> 1;
    bool negative = v < 0;
    int r = (half + (negative ? -v : v)) / q * q;
    out[i * all + t] = negative ? -r : r;
  }
}
