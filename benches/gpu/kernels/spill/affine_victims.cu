// Twenty-four values that are the thread's number plus something the same for all, live through a long loop.
//@ launch grid=264 block=1024
//@ arg base in i32[48] range(1,1000,1)
//@ arg in in i32[65536] range(0,65536,2)
//@ arg out out i32[threads]
//@ arg iters i32 400
//@ small grid=2 iters=6

constexpr int NA = 24, NX = 10;

extern "C" __global__ __launch_bounds__(1024, 2)
void affine_victims_plain(const int *base, const int *in, int *out, int iters) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int a[NA], v[NX];
#pragma unroll
  for (int j = 0; j < NA; j++) a[j] = base[j] * base[NA + j] + t;
#pragma unroll
  for (int j = 0; j < NX; j++) v[j] = in[(t * 5 + j) & 65535];
#pragma unroll 1
  for (int it = 0; it < iters; it++)
#pragma unroll
    for (int j = 0; j < NA; j++) v[j % NX] = (v[(j + 3) % NX] ^ a[j]) + v[j % NX] * 5;
  int s = 0;
#pragma unroll
  for (int j = 0; j < NX; j++) s = s * 31 + v[j];
  out[t] = s;
}

// The part that is the same for all waits in a slot of the warp; the thread's number is added at the use.
extern "C" __global__ __launch_bounds__(1024, 2)
void affine_victims_by_hand(const int *base, const int *in, int *out, int iters) {
  __shared__ __align__(16) int slot[32][NA];
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int v[NX], *mine = slot[threadIdx.x >> 5];
  unsigned base_address = (unsigned)__cvta_generic_to_shared(mine);
#pragma unroll
  for (int j = 0; j < NA; j++) mine[j] = base[j] * base[NA + j];
  __syncwarp();
#pragma unroll
  for (int j = 0; j < NX; j++) v[j] = in[(t * 5 + j) & 65535];
#pragma unroll 1
  for (int it = 0; it < iters; it++) {
    asm volatile("" : "+r"(t));   // its sums are not computed ahead of the loop
#pragma unroll
    for (int j = 0; j < NA; j += 4) {
      int u[4];
      // volatile: otherwise the assembler hoists the loads out of the loop, and the registers are gone
      asm volatile("ld.volatile.shared.v4.b32 {%0,%1,%2,%3}, [%4];"
                   : "=r"(u[0]), "=r"(u[1]), "=r"(u[2]), "=r"(u[3]) : "r"(base_address + 4 * j));
#pragma unroll
      for (int k = 0; k < 4; k++) v[(j + k) % NX] = (v[(j + k + 3) % NX] ^ (u[k] + t)) + v[(j + k) % NX] * 5;
    }
  }
  int s = 0;
#pragma unroll
  for (int j = 0; j < NX; j++) s = s * 31 + v[j];
  out[t] = s;
}
