// Thirty uniform weights and ten divergent values in 32 registers; the block is a plane of 32 by 32 threads.
//@ launch grid=12,11 block=32,32
//@ arg coef in f32[90] range(-0.3,0.3,1)
//@ arg in in f32[65536] range(-1,1,2)
//@ arg out out f32[threads]
//@ arg iters i32 2000
//@ small grid=2,1 iters=6

constexpr int NC = 30, NX = 10;

extern "C" __global__ __launch_bounds__(1024, 2)
void uniform_block2d_plain(const float *coef, const float *in, float *out, int iters) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y, t = y * gridDim.x * 32 + x;
  float c[NC], v[NX];
#pragma unroll
  for (int j = 0; j < NC; j++) c[j] = fmaf(coef[j], coef[NC + j], coef[2 * NC + j]);
#pragma unroll
  for (int j = 0; j < NX; j++) v[j] = in[(t + j * 4099) & 65535];
  float first = v[0];
#pragma unroll 1
  for (int it = 0; it < iters; it++) {
#pragma unroll
    for (int j = 0; j < NC; j++) v[j % NX] = fmaf(v[(j + 3) % NX], c[j], 0.5f * v[j % NX]);
    v[0] += first;
  }
  float s = 0;
#pragma unroll
  for (int j = 0; j < NX; j++) s += v[j];
  out[t] = s;
}

extern "C" __global__ __launch_bounds__(1024, 2)
void uniform_block2d_by_hand(const float *coef, const float *in, float *out, int iters) {
  __shared__ __align__(16) float slot[32][NC + 2];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y, t = y * gridDim.x * 32 + x;
  float v[NX];
  float *mine = slot[threadIdx.y];   // a row of the block is a warp
  unsigned base = (unsigned)__cvta_generic_to_shared(mine);
#pragma unroll
  for (int j = 0; j < NC; j++) mine[j] = fmaf(coef[j], coef[NC + j], coef[2 * NC + j]);
  __syncwarp();
#pragma unroll
  for (int j = 0; j < NX; j++) v[j] = in[(t + j * 4099) & 65535];
  float first = v[0];
#pragma unroll 1
  for (int it = 0; it < iters; it++) {
#pragma unroll
    for (int j = 0; j < NC; j += 2) {
      float a, b;
      // volatile: otherwise the assembler hoists the loads out of the loop, and the registers are gone
      asm volatile("ld.volatile.shared.v2.f32 {%0,%1}, [%2];" : "=f"(a), "=f"(b) : "r"(base + 4 * j));
      v[j % NX] = fmaf(v[(j + 3) % NX], a, 0.5f * v[j % NX]);
      v[(j + 1) % NX] = fmaf(v[(j + 4) % NX], b, 0.5f * v[(j + 1) % NX]);
    }
    v[0] += first;
  }
  float s = 0;
#pragma unroll
  for (int j = 0; j < NX; j++) s += v[j];
  out[t] = s;
}
