// Uniform weights under pressure in a block of 8 by 4 by 16 threads: a warp is one slice along z.
//@ launch grid=16,4,8 block=8,4,16
//@ arg coef in f32[84] range(-0.3,0.3,1)
//@ arg in in f32[65536] range(-1,1,2)
//@ arg out out f32[threads]
//@ arg iters i32 2000
//@ small grid=2 iters=6

constexpr int NC = 42, NX = 8;

extern "C" __global__ __launch_bounds__(512, 4)
void uniform_block3d_plain(const float *coef, const float *in, float *out, int iters) {
  int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  int t = block * 512 + (threadIdx.z * 4 + threadIdx.y) * 8 + threadIdx.x;
  float c[NC], v[NX];
#pragma unroll
  for (int j = 0; j < NC; j++) c[j] = coef[j] * coef[NC + j];
#pragma unroll
  for (int j = 0; j < NX; j++) v[j] = in[(t + j * 4099) & 65535];
  float first = v[0];
#pragma unroll 1
  for (int it = 0; it < iters; it++) {
#pragma unroll
    for (int j = 0; j < NC; j++) v[j % NX] = fmaf(v[(j + 5) % NX], c[j], v[j % NX]);
#pragma unroll
    for (int j = 0; j < NX; j++) v[j] *= 0.5f;
    v[0] += first;
  }
  float s = 0;
#pragma unroll
  for (int j = 0; j < NX; j++) s = s * 2.0f + v[j];
  out[t] = s;
}
