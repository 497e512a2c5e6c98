// D. Sampaio 2013, figures 2.1 and 2.2: in avgSquare the thread index cancels in the bound, so the counter d is uniform in
// the loop and after it.
//
// RUN: %clang_cuda %s -O0 -Xclang -disable-O0-optnone -fno-discard-value-names -emit-llvm -S -o - | %opt -passes='function(mem2reg),print<affine-divergence>' -disable-output 2>&1 | %FileCheck %s

// CHECK: %cmp = divergent
// CHECK-NEXT: br %cmp: divergent
// CHECK: %add = affine 1*tid.x + uniform grid
// CHECK: %d.0 = uniform grid{{$}}
// CHECK-NOT: %d.0 = divergent after
// CHECK: %i.0 = affine 1*tid.x + uniform grid
// CHECK: br %cmp{{[0-9]+}}: uniform

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
