// Every transform can be switched off by an annotation, for a file, or as a whole; the others go on. Unoptimised code is
// left alone.
//
// DEFINE: %{flags} = -mllvm -warpwise-block=64x2 -Rpass=warpwise -S -o /dev/null -mllvm -warpwise-unroll=0
// RUN: %clang_cuda %s -mllvm -warpwise-block=64x2 -Rpass=warpwise -S -o /dev/null 2>&1 | %FileCheck %s --check-prefix=UNROLL
// RUN: %clang_cuda %s %{flags} 2>&1 | %FileCheck %s --check-prefixes=FUSE,STEER,LOAD --implicit-check-not=remark:
// RUN: %clang_cuda %s %{flags} -mllvm -warpwise-fuse=0 2>&1 | %FileCheck %s --check-prefixes=STEER,LOAD --implicit-check-not=remark:
// RUN: %clang_cuda %s %{flags} -mllvm -warpwise-steer=0 2>&1 | %FileCheck %s --check-prefixes=FUSE,LOAD --implicit-check-not=remark:
// RUN: %clang_cuda %s %{flags} -mllvm -warpwise-annotate=0 2>&1 | %FileCheck %s --check-prefixes=FUSE,STEER --implicit-check-not=remark:
// RUN: %clang_cuda %s %{flags} -mllvm -warpwise-off 2>&1 | count 0
// RUN: %clang_cuda %s %{flags} -mllvm -warpwise-profile-generate 2>&1 | %FileCheck %s --check-prefix=COUNTED --implicit-check-not=fused
// RUN: %clang_cuda %s %{flags} -mllvm -warpwise-profile-generate -mllvm -warpwise-fuse 2>&1 | %FileCheck %s --check-prefix=FUSE
// COUNTED: remark:
// RUN: %clang_cuda %s %{flags} -O0 2>&1 | count 0

#define NO(WHAT) __attribute__((annotate("warpwise." WHAT)))
#define KERNEL(NAME) extern "C" __global__ void __launch_bounds__(128) NAME(int *data, const int *keys, int n)

#define SORT                                                                                                           \
  __shared__ int sh[128];                                                                                              \
  int t = threadIdx.x, p = t ^ n;                                                                                      \
  sh[t] = data[t];                                                                                                     \
  __syncthreads();                                                                                                     \
  if (t & n) {                                                                                                         \
    if (sh[t] > sh[p]) { int s = sh[t]; sh[t] = sh[p]; sh[p] = s; }                                                    \
  } else {                                                                                                             \
    if (sh[t] < sh[p]) { int s = sh[t]; sh[t] = sh[p]; sh[p] = s; }                                                    \
  }                                                                                                                    \
  __syncthreads();                                                                                                     \
  data[t] = sh[t];

// FUSE: switches.cu:[[#@LINE+1]]:{{.*}} divergent branch fused
KERNEL(fuse_on) { SORT }
NO("no-fuse") KERNEL(fuse_no) { SORT }
NO("off") KERNEL(fuse_off) { SORT }

// UNROLL: switches.cu:[[#@LINE+3]]:{{.*}} loop of {{[0-9]+}} instructions unrolled by 4
KERNEL(sum) {
  int s = 0;
  for (int k = 0; k < n; ++k)
    s = s * keys[k] + 1;
  data[threadIdx.x] = s;
}

#define COPY int *__restrict__ to, const int *__restrict__ from

// LOAD: switches.cu:[[#@LINE+1]]:{{.*}} marked invariant
extern "C" __global__ void load_on(COPY) { to[threadIdx.x] = from[threadIdx.x]; }
NO("no-annotate") extern "C" __global__ void load_no(COPY) { to[threadIdx.x] = from[threadIdx.x]; }
NO("off") extern "C" __global__ void load_off(COPY) { to[threadIdx.x] = from[threadIdx.x]; }

#define ARRAY                                                                                                          \
  int t = threadIdx.x, last[12];                                                                                       \
  for (int k = 0; k < 12; ++k)                                                                                         \
    last[k] = data[t + k];                                                                                             \
  data[t] = last[keys[t] & 7];

// STEER: switches.cu:[[#@LINE+1]]:{{.*}} shared memory
KERNEL(steer_on) { ARRAY }
NO("no-steer") KERNEL(steer_no) { ARRAY }
NO("off") KERNEL(steer_off) { ARRAY }
