// Uniform values under pressure that change with every turn of the outer loop: their slots are written again and again.
//@ launch grid=264 block=1024
//@ arg coef in f32[32*outer+64] range(-0.5,0.5,1)
//@ arg in in f32[65536] range(-1,1,2)
//@ arg out out f32[threads]
//@ arg outer i32 40
//@ arg inner i32 50
//@ small grid=2 outer=3 inner=3

constexpr int NC = 32, NX = 12;

extern "C" __global__ __launch_bounds__(1024, 2)
void rewritten_uniform_plain(const float *coef, const float *in, float *out, int outer, int inner) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float c[NC], v[NX];
#pragma unroll
  for (int j = 0; j < NX; j++) v[j] = in[(t + j * 4099) & 65535];
  float first = v[0];
#pragma unroll 1
  for (int o = 0; o < outer; o++) {
#pragma unroll
    for (int j = 0; j < NC; j++) c[j] = coef[o * NC + j] * coef[o * NC + j + 7];
#pragma unroll 1
    for (int i = 0; i < inner; i++) {
#pragma unroll
      for (int j = 0; j < NC; j++) v[j % NX] = fmaf(v[(j + 1) % NX], c[j], 0.5f * v[j % NX]);
      v[0] += first;
    }
  }
  float s = 0;
#pragma unroll
  for (int j = 0; j < NX; j++) s += v[j];
  out[t] = s;
}

extern "C" __global__ __launch_bounds__(1024, 2)
void rewritten_uniform_by_hand(const float *coef, const float *in, float *out, int outer, int inner) {
  __shared__ __align__(16) float slot[32][NC];
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float v[NX], *mine = slot[threadIdx.x >> 5];
#pragma unroll
  for (int j = 0; j < NX; j++) v[j] = in[(t + j * 4099) & 65535];
  float first = v[0];
#pragma unroll 1
  for (int o = 0; o < outer; o++) {
    __syncwarp();
#pragma unroll
    for (int j = 0; j < NC; j++) mine[j] = coef[o * NC + j] * coef[o * NC + j + 7];
    __syncwarp();
#pragma unroll 1
    for (int i = 0; i < inner; i++) {
#pragma unroll
      for (int j = 0; j < NC; j += 4) {
        float a[4];
        asm volatile("ld.shared.v4.f32 {%0,%1,%2,%3}, [%4];"
                     : "=f"(a[0]), "=f"(a[1]), "=f"(a[2]), "=f"(a[3])
                     : "r"((unsigned)__cvta_generic_to_shared(&mine[j])) : "memory");
#pragma unroll
        for (int k = 0; k < 4; k++)
          v[(j + k) % NX] = fmaf(v[(j + k + 1) % NX], a[k], 0.5f * v[(j + k) % NX]);
      }
      v[0] += first;
    }
  }
  float s = 0;
#pragma unroll
  for (int j = 0; j < NX; j++) s += v[j];
  out[t] = s;
}
