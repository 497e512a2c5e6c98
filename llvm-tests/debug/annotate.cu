// A value that is read from lane 0 is what the variable holds from then on; votes and marks leave variables alone.
//
// RUN: %clang_cuda %s -g --cuda-noopt-device-debug -mllvm -warpwise-block=64 -Rpass=warpwise -emit-llvm -S -o %t.ll 2>&1 | %FileCheck %s --check-prefix=REMARK
// RUN: %FileCheck %s < %t.ll
// RUN: %opt -passes='function(instcombine,simplifycfg)' -verify-each -disable-output %t.ll

// REMARK: value is uniform: read from lane 0
// CHECK: [[READ:%[0-9]+]] = {{.*}}@llvm.nvvm.shfl.sync.idx.i32({{.*}}), !dbg
// CHECK-NEXT: #dbg_value(i32 [[READ]], [[WARP:![0-9]+]], !DIExpression()
// CHECK: [[WARP]] = !DILocalVariable(name: "warp"

extern "C" __global__ void k(float *out, const float *in, int n) {
  int warp = threadIdx.x >> 5;
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    if (i % 7 == warp)
      for (int j = 0; j < i; ++j)
        sum += in[j * 32 + threadIdx.x];
    if (i > warp + 3)
      sum = sum * in[i] + in[i + 1];
  }
  out[threadIdx.x] = sum;
}
