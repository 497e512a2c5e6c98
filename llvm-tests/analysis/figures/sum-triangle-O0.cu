// D. Sampaio 2013, figures 2.1 and 2.2: in sumTriangle the loop diverges, so d is uniform inside and divergent outside, and
// the branch on it inside is uniform.
//
// RUN: %clang_cuda %s -O0 -Xclang -disable-O0-optnone -fno-discard-value-names -emit-llvm -S -o - | %opt -passes='function(mem2reg),print<affine-divergence>' -disable-output 2>&1 | %FileCheck %s

// CHECK: br %cmp: divergent
// CHECK: %mul = affine %n*tid.x + uniform grid
// CHECK: %d.0 = uniform grid{{$}}
// CHECK-NEXT: %d.0 = divergent after the loop of
// CHECK: %i.0 = affine 1*tid.x + uniform grid
// CHECK: br %cmp{{[0-9]+}}: divergent
// CHECK: %rem = uniform grid
// CHECK: br %tobool: uniform

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
