// A switch of which two cases are alike and live; the others do not occur.
//@ launch grid=1056 block=256
//@ arg kind in u8[threads] range(0,2,1)
//@ arg in in f32[threads] range(0.5,1.5,2)
//@ arg out out f32[threads]
//@ arg iters i32 200
//@ small grid=2 iters=8
//@ also map

extern "C" __global__ void switch_of_two_plain(const unsigned char *kind, const float *in, float *out, int iters) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, k = kind[t];
  float a = in[t], x = a, y = 1.0f;
  for (int i = 0; i < iters; i++) {
    switch ((k + i) & 1) {
    case 0:
      x = fmaf(x, 0.5f, a) / (y + 1.0f);
      y = sqrtf(x + 0.5f);
      break;
    case 1:
      x = fmaf(x, 0.25f, a) / (y + 3.0f);
      y = sqrtf(x + 1.5f);
      break;
    }
  }
  out[t] = x + y;
}
