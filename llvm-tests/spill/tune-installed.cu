// `warpwise tune` finds the plugin where scripts/install puts it, names kernels as the source does, and shows once what many
// choices give.
//
// RUN: rm -rf %t && mkdir -p %t/bin %t/lib
// RUN: cp %warpwise %t/bin/warpwise
// RUN: cp %plugin %t/lib/libwarpwise.so
// RUN: %t/bin/warpwise tune %s | %FileCheck %s
// CHECK: clang scale
// CHECK: thread slots the same as clang
// CHECK: best: clang: nothing that was tried does better

__global__ void scale(float *p) { p[threadIdx.x] *= 2; }
