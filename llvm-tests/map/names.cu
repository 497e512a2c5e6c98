// The map of the lockstep machine names kernels as the source does.
// RUN: %clang_cuda %s -S -emit-llvm -g1 -o %t.ll
// RUN: %warpwise simt %t.ll --block 64 -a 'i32[64]:zero' -a i32:20 --map text | %FileCheck %s
// RUN: %warpwise simt %t.ll --block 64 -a 'i32[64]:zero' -a i32:20 --map json | %FileCheck %s --check-prefix=JSON
// CHECK: names.cu:[[@LINE+8]]:{{[0-9]+}}: in below<int>, block
// CHECK-NEXT: visits 2, splits 1
// CHECK-NEXT: depends on threadIdx.x; uniform if blockDim.x <= {{.*}} (in 0 of 1 launches)
// CHECK-NEXT: counted branches: 1 executed, 1 called divergent, 0 of these never split
// JSON: "function": "_Z5belowIiEvPT_i"
// JSON: "is_divergent": true
// JSON: "text": "blockDim.x <= {{.*}}"
template <class T> __global__ void below(T *p, int n) {
  if (threadIdx.x < n)
    p[threadIdx.x] = 1;
}
template __global__ void below(int *, int);
