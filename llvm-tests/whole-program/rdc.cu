// In clang the option holds for a source that is compiled on its own; with -fgpu-rdc the pass refuses what it can tell, and
// `warpwise nvcc` refuses the option.
//
// DEFINE: %{flags} = -mllvm -warpwise-whole-program -Rpass=warpwise -Rpass-missed=warpwise -S -emit-llvm -o -
// RUN: %clang_cuda %s %{flags} 2>&1 | %FileCheck %s --check-prefix=WHOLE
// RUN: %clang_cuda %s %{flags} -fgpu-rdc 2>&1 | %FileCheck %s --check-prefix=PART
// RUN: %not %warpwise nvcc -rdc=true -c %s -mllvm -warpwise-whole-program -o /dev/null 2>&1 | %FileCheck %s --check-prefix=DRIVER
// DRIVER: warpwise: -warpwise-whole-program says that no other module calls device functions, which -rdc=true is for

__device__ __noinline__ int help(int x) { return x * 3; }

// WHOLE: rdc.cu:[[#@LINE+2]]:{{.*}} 1 device function is internal: nobody else can call into a whole program
// PART: rdc.cu:[[#@LINE+1]]:{{.*}} device functions stay visible: this is not a whole program, as '_Z6kernelILi1EEvPi' is shared among modules
template <int N> __global__ void kernel(int *p) { p[N] = help(p[N]); }

template __global__ void kernel<1>(int *);

// WHOLE: define internal {{.*}}@_Z4helpi(
// PART: define dso_local {{.*}}@_Z4helpi(
