// Register pressure: 48 uniform coefficients and 12 divergent accumulators in 32 registers (launch bounds 1024 x 2).
// spill_plain is what a person writes; spill_by_hand is what steer-spills should make of it: uniform victims in one
// shared slot per warp, reloaded four at a time next to their use.
//@ launch grid=264 block=1024
//@ arg coef in f32[96] range(-0.3,0.3,1)
//@ arg in in f32[1<<20] range(-1,1,2)
//@ arg out out f32[threads]
//@ arg stride i32 4096
//@ arg iters i32 2000
//@ small grid=2 iters=8

constexpr int NC = 48, NX = 12;

extern "C" __global__ __launch_bounds__(1024, 2)
void spill_plain(const float *coef, const float *in, float *out, int stride, int iters) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float c[NC], x[NX];
#pragma unroll
  for (int j = 0; j < NC; j++) c[j] = coef[j] * coef[NC + j];
#pragma unroll
  for (int j = 0; j < NX; j++) x[j] = in[(t + j * stride) & 0xfffff];
#pragma unroll 1
  for (int it = 0; it < iters; it++) {
#pragma unroll
    for (int j = 0; j < NC; j++) x[j % NX] = fmaf(x[(j + 1) % NX], c[j], x[j % NX]);
#pragma unroll
    for (int j = 0; j < NX; j++) x[j] *= 0.99f;
  }
  float s = 0;
#pragma unroll
  for (int j = 0; j < NX; j++) s += x[j];
  out[t] = s;
}

extern "C" __global__ __launch_bounds__(1024, 2)
void spill_by_hand(const float *coef, const float *in, float *out, int stride, int iters) {
  __shared__ __align__(16) float slot[32][NC];
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float x[NX];
  volatile float *mine = &slot[threadIdx.x >> 5][0];
#pragma unroll
  for (int j = 0; j < NC; j++) mine[j] = coef[j] * coef[NC + j];
  __syncwarp();
#pragma unroll
  for (int j = 0; j < NX; j++) x[j] = in[(t + j * stride) & 0xfffff];
#pragma unroll 1
  for (int it = 0; it < iters; it++) {
#pragma unroll
    for (int j = 0; j < NC; j += 4) {
      float v0, v1, v2, v3;
      // volatile: otherwise the load is hoisted out of the loop again and the registers are gone
      asm volatile("ld.shared.v4.f32 {%0,%1,%2,%3}, [%4];"
                   : "=f"(v0), "=f"(v1), "=f"(v2), "=f"(v3)
                   : "r"((unsigned)__cvta_generic_to_shared((void *)&mine[j])));
      x[j % NX] = fmaf(x[(j + 1) % NX], v0, x[j % NX]);
      x[(j + 1) % NX] = fmaf(x[(j + 2) % NX], v1, x[(j + 1) % NX]);
      x[(j + 2) % NX] = fmaf(x[(j + 3) % NX], v2, x[(j + 2) % NX]);
      x[(j + 3) % NX] = fmaf(x[(j + 4) % NX], v3, x[(j + 3) % NX]);
    }
#pragma unroll
    for (int j = 0; j < NX; j++) x[j] *= 0.99f;
  }
  float s = 0;
#pragma unroll
  for (int j = 0; j < NX; j++) s += x[j];
  out[t] = s;
}
