// Where the upper half of a product is only used in sums, ptxas takes one sum for another: of the 26 places here that
// `x / 29` and a constant say, it would read 23. Through 64 bits it is added to as usual. What is used elsewhere, too, or
// in the only sum of a kernel without a loop, stays as it is.
//
// RUN: %clang_cuda -S %s -o %t.ptx -Rpass=warpwise 2>&1 | %FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: %FileCheck %s < %t.ptx
// RUN: %ptxas -arch=sm_90 %t.ptx -o %t.cubin
// RUN: %cuobjdump -sass %t.cubin | %FileCheck %s --check-prefix=SASS --implicit-check-not=IMAD.HI

// SASS-COUNT-8: IMAD.HI

// CHECK-LABEL: .entry quotient(
// CHECK:       mul.hi.u32 [[Q:%r[0-9]+]], {{%r[0-9]+}}, 148102321;
// CHECK:       cvt.u64.u32 wide, [[Q]]; cvt.u32.u64 {{%r[0-9]+}}, wide;
extern "C" __global__ void quotient(float* o, const float* f, const unsigned* n) {
  // REMARK: upper-halves.cu:[[@LINE+1]]:{{[0-9]+}}: remark: sums with the upper half of a product: ptxas could take one for another
  unsigned q = (n[threadIdx.x] & 524287u) / 29u;
  float s = 1.f;
#define S(c) s = s * f[(q + c) & 4095] + f[((q - 35748) & 4095) ^ c];
  S(1100) S(516) S(2089) S(965) S(4058) S(11) S(52) S(219) S(95) S(458) S(1191) S(1516) S(3089)
  S(3965) S(4053) S(101) S(561) S(289) S(65) S(4) S(7) S(77) S(777) S(2222) S(3333)
  o[threadIdx.x] = s;
}

// CHECK-LABEL: .entry high(
// CHECK-COUNT-2: .reg .b64 wide;
extern "C" __global__ void high(unsigned* o, unsigned a, unsigned b) {
  // REMARK: upper-halves.cu:[[@LINE+1]]:{{[0-9]+}}: remark: sums with the upper half
  unsigned h = __umulhi(threadIdx.x, a);
  // REMARK: upper-halves.cu:[[@LINE+1]]:{{[0-9]+}}: remark: sums with the upper half
  unsigned g = (unsigned long long)threadIdx.x * b >> 32;
  o[h + 3] = o[h + a];
  o[g + a] = o[g + b];
}

// CHECK-LABEL: .entry elsewhere(
// CHECK-NOT:   .reg .b64 wide
extern "C" __global__ void elsewhere(unsigned* o, unsigned a, unsigned b) {
  unsigned h = __umulhi(threadIdx.x, a), g = __umulhi(threadIdx.x, b);
  o[h] = o[h + 3] + o[h + a];
  o[g + 7] = 0;
}

// They may turn out to be the same.
// CHECK-LABEL: .entry twice(
// CHECK-COUNT-2: .reg .b64 wide;
extern "C" __global__ void twice(unsigned* o, unsigned a, unsigned b) {
  // REMARK-COUNT-2: remark: sums with the upper half of a product
  o[__umulhi(threadIdx.x, a) + 3] = __umulhi(threadIdx.x, b) + 5;
}

// Strength reduction makes several sums of the one in a loop, and ptxas unrolls it.
// CHECK-LABEL: .entry loop(
// CHECK:       .reg .b64 wide;
extern "C" __global__ void loop(unsigned* o, const unsigned* f, unsigned a, unsigned n) {
  // REMARK: upper-halves.cu:[[@LINE+1]]:{{[0-9]+}}: remark: sums with the upper half of a product
  unsigned h = __umulhi(threadIdx.x, a), s = a;
#pragma nounroll
  for (unsigned j = 0; j < n; ++j) s = f[j] - (h + s);
  o[threadIdx.x] = s;
}
