// Divergent if-then-else with alike sides, plain and melded by hand.
//@ launch grid=2112 block=256
//@ arg a in f32[n] range(0.5,1.5,1)
//@ arg b in f32[n] range(0.5,1.5,2)
//@ arg out out f32[threads]
//@ arg n i32 1024
//@ small grid=2 n=64
//@ also map

extern "C" __global__ void arms_plain(const float *a, const float *b, float *out, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[t & (n - 1)], y = b[t & (n - 1)], r = 0;
  for (int i = 0; i < 256; i++) {
    if ((t ^ i) & 1) { float p = x * y, q = p / (x + 1.5f), s = q * q + x; r += s / (y + 2.0f); x = s * 0.5f; }
    else             { float p = x * x, q = p / (y + 0.5f), s = q * q + y; r -= s / (x + 3.0f); y = s * 0.25f; }
  }
  out[t] = r;
}

extern "C" __global__ void arms_by_hand(const float *a, const float *b, float *out, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[t & (n - 1)], y = b[t & (n - 1)], r = 0;
  for (int i = 0; i < 256; i++) {
    bool c = (t ^ i) & 1;
    float u = c ? x : y, w = c ? y : x;
    float p = x * (c ? y : x), q = p / (u + (c ? 1.5f : 0.5f)), s = q * q + u;
    float d = s / (w + (c ? 2.0f : 3.0f)), z = s * (c ? 0.5f : 0.25f);
    r += c ? d : -d;
    x = c ? z : x;
    y = c ? y : z;
  }
  out[t] = r;
}
