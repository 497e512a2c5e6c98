// A variable that waits in shared memory keeps what is told of it where it is assigned, and is told of again, by the
// loaded value, behind each load.
//
// RUN: %clang_cuda %s -g --cuda-noopt-device-debug -mllvm -warpwise-regs=16 -mllvm -warpwise-steer=divergent -Rpass=warpwise -emit-llvm -S -o %t.ll 2>&1 | %FileCheck %s --check-prefix=REMARK
// RUN: %FileCheck %s < %t.ll
// RUN: %opt -passes='function(instcombine,simplifycfg)' -verify-each -disable-output %t.ll
// RUN: %llc -mcpu=sm_90 %t.ll -o /dev/null

// REMARK: in a slot per thread
// CHECK-LABEL: define {{.*}}@k(
// CHECK: [[LOADED:%[0-9]+]] = load float
// CHECK: store volatile i32 {{.*}}ptr addrspace(3)
// CHECK-NEXT: #dbg_value(float [[LOADED]], [[A:![0-9]+]], !DIExpression()
// CHECK: [[PART:%[0-9]+]] = extractelement <4 x i32> {{%[0-9]+}}, i32 0
// CHECK-NEXT: [[RELOADED:%[0-9]+]] = bitcast i32 [[PART]] to float
// CHECK: #dbg_value(float [[RELOADED]], [[AGAIN:![0-9]+]], !DIExpression()
// CHECK-DAG: [[A]] = !DILocalVariable(name: "a"
// CHECK-DAG: [[AGAIN]] = !DILocalVariable(name: "again"

extern "C" __global__ void __launch_bounds__(128) k(float *out, const float *in, int n) {
  int t = threadIdx.x;
  float a = in[t], b = in[t + 128], c = in[t + 256], d = in[t + 384];
  float e = in[t + 512], f = in[t + 640], g = in[t + 768], h = in[t + 896];
  float p = in[t + 1024], q = in[t + 1152], r = in[t + 1280], s = in[t + 1408];
  float sum = 0;
  for (int j = 0; j < n; ++j) {
    float x = in[j];
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
      x = x * a + b;
      float again = a;
      x = x * c + d + again;
      x = x * e + f;
      x = x * g + h;
      x = x * p + q;
      x = x * r + s;
    }
    sum += x;
  }
  out[t] = sum + a * 3;
}
