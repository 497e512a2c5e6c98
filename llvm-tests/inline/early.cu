// A large function whose only call is in a small one that is called several times: LLVM would copy the small one, and each copy
// would have the object that the call takes. It is inlined into the small one before that. With -fgpu-rdc, too, since all
// functions stay. After LLVM has inlined, the same of a large function that the kernel calls once.
//
// DEFINE: %{flags} = -Rpass=warpwise -Rpass-missed=warpwise -S -emit-llvm -o -
// RUN: %clang_cuda %s %{flags} 2>%t | %FileCheck %s
// RUN: %FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: %clang_cuda %s %{flags} -fgpu-rdc 2>&1 | %FileCheck %s
// RUN: %clang_cuda %s %{flags} -mllvm -warpwise-arrays=0 2>&1 | %FileCheck %s --check-prefix=OFF --implicit-check-not="call inlined"
// RUN: %clang_cuda %s %{flags} -mllvm -warpwise-off 2>&1 | %FileCheck %s --check-prefix=OFF --implicit-check-not="call inlined"
// RUN: %clang_cuda %s %{flags} -mllvm -warpwise-profile-generate 2>&1 | %FileCheck %s --check-prefix=OFF --implicit-check-not="call inlined"
// RUN: %clang_cuda %s %{flags} -O1 2>&1 | %FileCheck %s --check-prefix=OFF --implicit-check-not="call inlined"

struct Pair {
  int first, second;
};

#define TEN(X) X X X X X X X X X X
#define WORK *out = *out + pair.first;

extern "C" __device__ int large(Pair &pair, volatile int *out) {
  TEN(TEN(WORK WORK WORK))
  pair.second = *out;
  return pair.first * *out;
}

extern "C" __device__ int small(volatile int *out, int x) {
  Pair pair = {x, 0};
  // REMARK: early.cu:[[#@LINE+1]]:{{.*}} call inlined, the only one of a function of {{[0-9]+}} instructions: a stack object of 8 bytes can be in registers
  return large(pair, out) + pair.second;
}

extern "C" __device__ int once(Pair &pair, volatile int *out) {
  TEN(TEN(WORK WORK WORK))
  return pair.second++;
}

// CHECK: define {{.*}}i32 @once(
// CHECK: define {{.*}}ptx_kernel void @kernel(
// CHECK-NOT: call {{.*}}@once(
// CHECK: call {{.*}}@small(
// CHECK: call {{.*}}@small(
// OFF: define {{.*}}ptx_kernel void @kernel(
// OFF: call {{.*}}@once(
extern "C" __global__ void kernel(int *out, int x) {
  Pair one = {x, 1};
  // REMARK: early.cu:[[#@LINE+1]]:{{.*}} call inlined, the only one of a function of {{[0-9]+}} instructions: a stack object of 8 bytes can be in registers
  x += once(one, out) + one.second;
  *out = small(out, x) + small(out, x + 1);
}
