// Sides that share nothing: floats here, bits there. Melding can only cost.
//@ launch grid=1056 block=256
//@ arg in in f32[threads] range(0.5,1.5,1)
//@ arg out out f32[threads]
//@ arg iters i32 200
//@ small grid=2 iters=8

extern "C" __global__ void unalike_arms_plain(const float *in, float *out, int iters) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[t];
  unsigned h = t;
  for (int i = 0; i < iters; i++) {
    if ((t ^ i) & 1) {
      x = sqrtf(fmaf(x, x, 1.0f)) / (x + 1.5f);
    } else {
      h = (h << 13 | h >> 19) ^ h * 5;
      h += __popc(h) << (h & 7);
    }
  }
  out[t] = x + (float)(h & 0xffff);
}
