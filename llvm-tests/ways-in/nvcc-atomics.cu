// Compare-and-swap orders no other accesses, as in CUDA: clang's own header would have a fence of the whole system for
// each. Those of a block and of the system are as clang has them.
//
// RUN: %warpwise nvcc --cuda-path=%cuda -arch=sm_90 -ptx %s -o %t.ptx
// RUN: %FileCheck %s --implicit-check-not=fence < %t.ptx
// CHECK-LABEL: .entry swap(
// CHECK: atom.relaxed.sys.global.cas.b32
// CHECK: atom.relaxed.sys.global.cas.b32
// CHECK: atom.relaxed.sys.global.cas.b64
// CHECK: atom.relaxed.sys.global.cas.b32
// CHECK: atom.cta.cas.b32
// CHECK: atom.sys.cas.b32
extern "C" __global__ void swap(int *i, unsigned *u, unsigned long long *l, unsigned short *s, int *out) {
  out[0] = atomicCAS(i, 1, 2);
  out[1] = atomicCAS(u, 1u, 2u);
  out[2] = (int)atomicCAS(l, 1ull, 2ull);
  out[3] = atomicCAS(s, (unsigned short)1, (unsigned short)2);
  out[4] = atomicCAS_block(i, 1, 2);
  out[5] = atomicCAS_system(i, 1, 2);
}
