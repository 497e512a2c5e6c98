// The map of the lockstep machine names kernels as the source does.
// RUN: %clang_cuda %s -S -emit-llvm -g1 -o %t.ll
// RUN: %warpwise simt %t.ll --block 64 -a 'i32[64]:zero' -a i32:20 --save-map %t.map
// RUN: %warpwise map show %t.map | %FileCheck %s
// RUN: %warpwise map json %t.map | %FileCheck %s --check-prefix=JSON
// CHECK: counted branches: 1 executed, 1 called divergent, 0 of these never split
// CHECK: names.cu:[[@LINE+7]] {{.*}}below<int> {{.*}} 2 1 50.0 %
// JSON: "symbol": "_Z5belowIiEvPT_i"
// JSON: "is_divergent": true
// JSON-NEXT: "why": "{{.*}} depends on threadIdx.x"
// JSON: "text": "blockDim.x <= {{.*}}"
// JSON: "held": 0,
template <class T> __global__ void below(T *p, int n) {
  if (threadIdx.x < n)
    p[threadIdx.x] = 1;
}
template __global__ void below(int *, int);
