// A product that is stored and loaded again for its sum, with a call in between: LLVM has yet to find that the two meet. Before it
// has, no product is kept apart for the sake of inlining; the call is inlined later.
//
// RUN: %clang_cuda %s -S -o - -Rpass=warpwise 2>%t.remarks | %FileCheck %s --implicit-check-not=mul.rn
// RUN: %FileCheck %s --check-prefix=REMARK < %t.remarks
// REMARK: call inlined, the only one of a function of {{[0-9]+}} instructions: a stack object of 16 bytes can be in registers
// CHECK: .entry kernel(
// CHECK: fma.rn.f64

#define ONE(to, from, at) w[to] = (w[from] ^ x) * 2654435761u + I[(x + at) & 4095]; w[to] ^= w[to] >> 15;
#define FOUR(at) ONE(0, 1, at) ONE(1, 2, at + 300) ONE(2, 3, at + 77) ONE(3, 0, at + 1234)
#define ALL(at) FOUR(at) FOUR(at + 11) FOUR(at + 501) FOUR(at + 40) FOUR(at + 3) FOUR(at + 77) FOUR(at + 1001)

__device__ void large(const unsigned *I, unsigned *w, unsigned x) {
  ALL(5) ALL(2000) ALL(3000) ALL(111) ALL(222) ALL(333)
}

extern "C" __global__ void kernel(unsigned *O, const unsigned *I, const float *F, const double *D, unsigned x) {
  __shared__ double S[64];
  double *own = S + threadIdx.x;
  *own = (double)F[threadIdx.x] * D[threadIdx.x];
  unsigned w[4] = {x, x + 1, x ^ 5, x * 3};
  large(I, w, x);
  *own += (double)(int)(w[0] & 1023);
  O[threadIdx.x] = (unsigned)(__double_as_longlong(*own) >> 20);
}
