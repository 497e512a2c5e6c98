// Nine polynomials of degree six with constants in the code, evaluated side by side and kept for the next turn.
//@ launch grid=1056 block=256
//@ arg in in f32[threads] range(-1,1,1)
//@ arg out out f32[threads]
//@ arg iters i32 200
//@ small grid=2 iters=6
//@ regs 24

extern "C" __global__ void few_polynomials_plain(const float *in, float *out, int iters) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[t], a[9], p[9];
#pragma unroll
  for (int k = 0; k < 9; k++) a[k] = 0.1f * (float)(k + 1), p[k] = x;
#pragma unroll 1
  for (int i = 0; i < iters; i++) {
#pragma unroll
    for (int j = 1; j <= 6; j++)
#pragma unroll
      for (int k = 0; k < 9; k++) p[k] = fmaf(p[k], 0.5f * a[(k + j) % 9], 0.0137f * (float)(j * 7 - k * 3));
#pragma unroll
    for (int k = 0; k < 9; k++) a[k] = fmaf(a[k], 0.25f, 0.125f * p[(k + 1) % 9]);
    a[0] += 0.0625f * x;
  }
  float s = x;
#pragma unroll
  for (int k = 0; k < 9; k++) s = fmaf(s, 0.5f, a[k] + p[k]);
  out[t] = s;
}
