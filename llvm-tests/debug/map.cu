// Counting branches takes nothing from a debugger: the same variables, each where it was, and the same lines.
//
// RUN: %clang_cuda %s -g --cuda-noopt-device-debug -mllvm -warpwise-off -emit-llvm -S -o %t.plain.ll
// RUN: %clang_cuda %s -g --cuda-noopt-device-debug -mllvm -warpwise-profile-generate -emit-llvm -S -o %t.ll
// RUN: %FileCheck %s < %t.plain.ll
// RUN: %FileCheck %s < %t.ll
// RUN: %FileCheck %s --check-prefix=MAP < %t.ll
// RUN: %opt -passes='function(instcombine,simplifycfg)' -verify-each -disable-output %t.ll

// CHECK-LABEL: define {{.*}}@k(
// CHECK: #dbg_value(i32 {{%.*}}, [[N:![0-9]+]], !DIExpression()
// CHECK: #dbg_value(i32 {{%.*}}, [[T:![0-9]+]], !DIExpression()
// CHECK: #dbg_value(i32 {{%.*}}, [[A:![0-9]+]], !DIExpression()
// CHECK-DAG: [[N]] = !DILocalVariable(name: "n"
// CHECK-DAG: [[T]] = !DILocalVariable(name: "t"
// CHECK-DAG: [[A]] = !DILocalVariable(name: "a"
//
// MAP: call {{.*}} asm sideeffect {{.*}}, !dbg

extern "C" __global__ void k(int *out, int n) {
  int t = threadIdx.x;
  if (t < n) {
    int a = out[t];
    while (a > n)
      a -= t + 1;
    out[t] = a;
  }
}
