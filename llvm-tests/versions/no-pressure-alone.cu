// Register pressure alone is worth no version by an estimate: on an H200 the one of this kernel was 4 % slower.
// RUN: %clang_cuda %s -O3 -mllvm -warpwise-versions -Rpass-missed=warpwise -S -o %t.s 2>&1 | %FileCheck %s
// RUN: %FileCheck %s --check-prefix=CODE < %t.s
// CHECK: remark: register pressure of {{.*}} is left to ptxas: the kernel has dynamic shared memory of unknown size
// CODE-NOT: $v1


constexpr int PER = 4;

extern "C" __global__ __launch_bounds__(128, 12)
void nbody_tile4_plain(const float4 *__restrict__ bodies, float *__restrict__ accel, float *__restrict__ potential,
                       int sources, float eps2) {
  extern __shared__ float4 tile[];
  int total = gridDim.x * blockDim.x * PER;
  int first = blockIdx.x * blockDim.x * PER + threadIdx.x;
  float px[PER], py[PER], pz[PER], ax[PER], ay[PER], az[PER], phi[PER];
#pragma unroll
  for (int b = 0; b < PER; b++) {
    float4 p = bodies[first + b * blockDim.x];
    px[b] = p.x, py[b] = p.y, pz[b] = p.z;
    ax[b] = ay[b] = az[b] = phi[b] = 0;
  }
  for (int base = 0; base < sources; base += blockDim.x) {
    int mine = base + threadIdx.x;
    __syncthreads();
    tile[threadIdx.x] = mine < sources ? bodies[mine] : make_float4(0, 0, 0, 0);
    __syncthreads();
    int count = min((int)blockDim.x, sources - base);
#pragma unroll 4
    for (int j = 0; j < count; j++) {
      float4 s = tile[j];
      float mass = 1.0f + 0.5f * s.w;
#pragma unroll
      for (int b = 0; b < PER; b++) {
        float dx = s.x - px[b], dy = s.y - py[b], dz = s.z - pz[b];
        float inv = rsqrtf(dx * dx + dy * dy + dz * dz + eps2);
        float m = mass * inv;
        float f = m * inv * inv;
        phi[b] -= m;
        ax[b] += f * dx;
        ay[b] += f * dy;
        az[b] += f * dz;
      }
    }
  }
#pragma unroll
  for (int b = 0; b < PER; b++) {
    int i = first + b * blockDim.x;
    accel[i] = ax[b];
    accel[total + i] = ay[b];
    accel[2 * total + i] = az[b];
    potential[i] = phi[b];
  }
}
