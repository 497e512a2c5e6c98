// Uniform victims of eight bytes: twenty double weights and five double values in 48 registers.
//@ launch grid=264 block=640
//@ arg coef in f64[40] range(-0.5,0.5,1)
//@ arg in in f64[65536] range(-1,1,2)
//@ arg out out f64[threads]
//@ arg iters i32 1000
//@ small grid=2 iters=6

constexpr int NC = 20, NX = 5;

extern "C" __global__ __launch_bounds__(640, 2)
void uniform_doubles_plain(const double *coef, const double *in, double *out, int iters) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  double c[NC], v[NX];
#pragma unroll
  for (int j = 0; j < NC; j++) c[j] = coef[j] * coef[NC + j];
#pragma unroll
  for (int j = 0; j < NX; j++) v[j] = in[(t + j * 4099) & 65535];
  double first = v[0];
#pragma unroll 1
  for (int it = 0; it < iters; it++) {
#pragma unroll
    for (int j = 0; j < NC; j++) v[j % NX] = fma(v[(j + 2) % NX], c[j], v[j % NX]);
#pragma unroll
    for (int j = 0; j < NX; j++) v[j] *= 0.5;
    v[0] += first;
  }
  double s = 0;
#pragma unroll
  for (int j = 0; j < NX; j++) s = s * 2.0 + v[j];
  out[t] = s;
}

extern "C" __global__ __launch_bounds__(640, 2)
void uniform_doubles_by_hand(const double *coef, const double *in, double *out, int iters) {
  __shared__ __align__(16) double slot[20][NC];
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  double v[NX], *mine = slot[threadIdx.x >> 5];
  unsigned base = (unsigned)__cvta_generic_to_shared(mine);
#pragma unroll
  for (int j = 0; j < NC; j++) mine[j] = coef[j] * coef[NC + j];
  __syncwarp();
#pragma unroll
  for (int j = 0; j < NX; j++) v[j] = in[(t + j * 4099) & 65535];
  double first = v[0];
#pragma unroll 1
  for (int it = 0; it < iters; it++) {
#pragma unroll
    for (int j = 0; j < NC; j += 2) {
      double a, b;
      // volatile: otherwise the assembler hoists the loads out of the loop, and the registers are gone
      asm volatile("ld.volatile.shared.v2.f64 {%0,%1}, [%2];" : "=d"(a), "=d"(b) : "r"(base + 8 * j));
      v[j % NX] = fma(v[(j + 2) % NX], a, v[j % NX]);
      v[(j + 1) % NX] = fma(v[(j + 3) % NX], b, v[(j + 1) % NX]);
    }
#pragma unroll
    for (int j = 0; j < NX; j++) v[j] *= 0.5;
    v[0] += first;
  }
  double s = 0;
#pragma unroll
  for (int j = 0; j < NX; j++) s = s * 2.0 + v[j];
  out[t] = s;
}
