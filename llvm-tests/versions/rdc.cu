// An instantiation of a template that two translation units have: under -fgpu-rdc each brings the kernel, its table and its version, and the
// device linker takes one of each.
// RUN: %clang_cuda %s -fgpu-rdc -mllvm -warpwise-versions -emit-llvm -S -o %t.ll
// RUN: %FileCheck %s < %t.ll
// RUN: %clang_cuda %s -fgpu-rdc -mllvm -warpwise-versions -S -o %t.1.s
// RUN: %clang_cuda %s -DSECOND -fgpu-rdc -mllvm -warpwise-versions -S -o %t.2.s
// RUN: %cuda/bin/ptxas -c -arch=sm_90 %t.1.s -o %t.1.o
// RUN: %cuda/bin/ptxas -c -arch=sm_90 %t.2.s -o %t.2.o
// RUN: %cuda/bin/nvlink -arch=sm_90 %t.1.o %t.2.o -o %t.cubin
// RUN: %cuda/bin/cuobjdump -symbols %t.cubin | %FileCheck %s --check-prefix=LINKED
// CHECK: @"_Z4ringIiEvPT_PKS0_i$versions" = weak_odr
// CHECK: define weak_odr {{.*}}@_Z4ringIiEvPT_PKS0_i(
// CHECK: define weak_odr {{.*}}@"_Z4ringIiEvPT_PKS0_i$v1"(
// LINKED-DAG: STT_OBJECT {{.*}}_Z4ringIiEvPT_PKS0_i$versions
// LINKED-DAG: STT_FUNC {{.*}}_Z4ringIiEvPT_PKS0_i$v1

template <typename T> __global__ void ring(T *out, const T *in, int n) {
  T ring[32];
  for (int i = 0; i < 32; ++i)
    ring[i] = in[threadIdx.x + i];
  T sum = 0;
  for (int i = 0; i < n; ++i) {
    int at = in[i] + threadIdx.x & 31;
    sum += ring[at];
    ring[at ^ 1] = sum;
  }
  out[threadIdx.x] = sum;
}

#ifdef SECOND
#define NAME second
#else
#define NAME first
#endif
void NAME(int *out, const int *in, int n) { ring<<<1, 64>>>(out, in, n); }
