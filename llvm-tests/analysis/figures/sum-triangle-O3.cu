// The same kernel as clang optimises it.
//
// RUN: %clang_cuda %s -O3 -fno-discard-value-names -emit-llvm -S -o - | %opt -passes='print<affine-divergence>' -disable-output 2>&1 | %FileCheck %s

// CHECK: br %cmp: divergent
// CHECK: br %tobool{{.*}}: uniform
// CHECK: divergent after the loop of
// CHECK: br %cmp{{.*}}: divergent

__global__ void sumTriangle(const float *m, float *v, int n) {
  int column = threadIdx.x;
  if (column < n) {
    int d = 0;
    float sum = 0.0f;
    int end = (column + 1) * n;
    for (int i = column; i < end; i += n) {
      if (d % 2)
        sum += m[i];
      d += 1;
    }
    v[d - 1] = sum;
  }
}
