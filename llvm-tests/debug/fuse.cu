// Melded sides tell a debugger what is true for lanes of both: a variable that both sides assign is unknown while they
// differ, and has one value again where they agree; what lies inside one side keeps its own.
//
// RUN: %clang_cuda %s -g --cuda-noopt-device-debug -mllvm -warpwise-block=64 -Rpass=warpwise -c -o /dev/null 2>&1 | %FileCheck %s --check-prefix=REMARK
// RUN: %clang_cuda %s -g --cuda-noopt-device-debug -mllvm -warpwise-block=64 -emit-llvm -S -o - | %FileCheck %s
// RUN: %clang_cuda %s -O1 -g --cuda-noopt-device-debug -mllvm -warpwise-block=64 -c -o /dev/null
// RUN: %clang_cuda %s -O2 -g --cuda-noopt-device-debug -mllvm -warpwise-block=64 -c -o /dev/null
// RUN: %clang_cuda %s -Os -g --cuda-noopt-device-debug -mllvm -warpwise-block=64 -c -o /dev/null

// REMARK: remark: divergent branch fused
// CHECK-LABEL: define {{.*}}@k(
// CHECK: sub nsw i32 {{.*}}, !dbg
// CHECK-NEXT: #dbg_value(i32 poison, [[R:![0-9]+]], !DIExpression()
// CHECK: [[AGREED:%.*]] = xor i32
// CHECK-NEXT: #dbg_value(i32 [[AGREED]], [[R]], !DIExpression()
// CHECK-NEXT: #dbg_value(i32 [[AGREED]], [[Z:![0-9]+]], !DIExpression()
// CHECK-DAG: [[R]] = !DILocalVariable(name: "r"
// CHECK-DAG: [[Z]] = !DILocalVariable(name: "z"

extern "C" __global__ void k(int *out, const int *in, int n) {
  int t = threadIdx.x;
  int v = in[t], r = 0;
  for (int i = 0; i < (v & 7); i++) {
    int w = r + v;
    if (v & 3) {
      r = r * 3 + v;
      r ^= in[r & 0xff] / n;
    } else {
      r = r * 5 - v;
      r ^= in[r & 0x7f] / n;
    }
    int z = r;
    out[z & 7] = w;
  }
  out[t] = r;
}
