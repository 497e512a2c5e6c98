// The same kernel as clang optimises it: one divergent branch, the guard.
//
// RUN: %clang_cuda %s -O3 -fno-discard-value-names -emit-llvm -S -o - | %opt -passes='print<affine-divergence>' -disable-output 2>&1 | %FileCheck %s

// CHECK: br %cmp: divergent
// CHECK-NOT: br %{{.*}}: divergent
// CHECK: br %{{.*}}: uniform
// CHECK-NOT: br %{{.*}}: divergent

__global__ void avgSquare(const float *m, float *v, int n) {
  int column = threadIdx.x;
  if (column < n) {
    int d = 0;
    float sum = 0.0f;
    int end = column + n * n;
    for (int i = column; i < end; i += n) {
      sum += m[i];
      d += 1;
    }
    v[column] = sum / d;
  }
}
