// A stride over the grid with two loads of 16 bytes: what they load four times takes more registers than leave room for all
// warps. A sum takes it at once, so ptxas gets by with fewer; what is stored waits for its store, and the loop stays.
//
// RUN: %clang_cuda %s -S -o %t.ptx -Rpass=warpwise -Rpass-missed=warpwise 2>&1 | %FileCheck %s

struct alignas(16) Four {
  int x, y, z, w;
};

// CHECK: wide-sum.cu:[[#@LINE+3]]:{{.*}} unrolled by 4 in groups: 8 loads of an iteration can overlap
extern "C" __global__ void sum(const Four *__restrict__ in, int *out, int n) {
  int s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    Four a = in[2 * i], b = in[2 * i + 1];
    s += a.x + a.y + a.z + a.w + b.x + b.y + b.z + b.w;
  }
  atomicAdd(out, s);
}

// CHECK: wide-sum.cu:[[#@LINE+2]]:{{.*}} loop is not unrolled: {{[0-9]+}} registers would become {{[0-9]+}}
extern "C" __global__ void kept(const Four *__restrict__ in, Four *__restrict__ out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    Four a = in[2 * i], b = in[2 * i + 1];
    out[i] = {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
  }
}
