// Twenty-eight uniform weights and seven values.
//@ launch grid=1056 block=256
//@ arg coef in f32[56] range(-0.3,0.3,1)
//@ arg in in f32[threads] range(-1,1,2)
//@ arg out out f32[threads]
//@ arg iters i32 500
//@ small grid=2 iters=6
//@ regs 24

constexpr int NC = 28, NX = 7;

extern "C" __global__ void few_uniform_plain(const float *coef, const float *in, float *out, int iters) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float c[NC], v[NX];
#pragma unroll
  for (int j = 0; j < NC; j++) c[j] = coef[j] * coef[NC + j];
#pragma unroll
  for (int j = 0; j < NX; j++) v[j] = in[t] * (float)(j + 1);
  float first = v[0];
#pragma unroll 1
  for (int it = 0; it < iters; it++) {
#pragma unroll
    for (int j = 0; j < NC; j++) v[j % NX] = fmaf(v[(j + 1) % NX], c[j], 0.5f * v[j % NX]);
    v[0] += first;
  }
  out[t] = fmaf(v[0], v[1], v[2]) + v[3] + v[4] + v[5] + v[6];
}
