// Every choice is compiled, assembled and printed; the one with the least in local memory is named and written down.
// RUN: %warpwise tune %s --block 64 --write %t | %FileCheck %s
// RUN: %FileCheck %s --check-prefix=FLAGS < %t

// CHECK: choice {{ *}}kernel {{ *}}registers {{ *}}stack {{ *}}spilled {{ *}}shared {{ *}}warps
// CHECK: clang {{ *}}ring {{ *}}{{[0-9]+}} {{ *}}64 {{ *}}0 {{ *}}0
// CHECK: steer {{ *}}ring {{ *}}{{[0-9]+}} {{ *}}0 {{ *}}0 {{ *}}4096
// CHECK: best: s
// FLAGS: -mllvm -warpwise-steer
extern "C" __global__ void ring(const int *in, int *out, int n) {
  int held[16], t = threadIdx.x, sum = 0;
  for (int i = 0; i < n; i++) {
    held[in[t + i] & 15] = i;
    sum += held[in[t + 2 * i] & 15];
  }
  out[t] = sum;
}
