// Where the low bits of a computed number are stored, LLVM writes a store that is narrower than its register, and ptxas
// stores the number converted to an integer instead. Each such number goes through a mov; stores of loaded numbers, and of
// whole ones, stay as they are. The same in a stack object that was split into words in shared memory.
//
// RUN: %clang_cuda -S %s -o %t.ptx -Rpass=warpwise 2>&1 | %FileCheck %s --check-prefix=REMARK
// RUN: %FileCheck %s < %t.ptx
// RUN: %ptxas -arch=sm_90 %t.ptx -o %t.cubin
// RUN: %cuobjdump -sass %t.cubin | %FileCheck %s --check-prefix=SASS --implicit-check-not=F2I

// REMARK: float-bits.cu:[[@LINE+10]]:{{[0-9]+}}: remark: store of the low bits of a floating-point number: ptxas would convert the number instead
// SASS-COUNT-6: Function :

// CHECK-LABEL: .entry low(
// CHECK:       mul.f64 [[D:%rd[0-9]+]]
// CHECK:       mov.b64 [[M:%rd[0-9]+]], [[D]];
// CHECK:       st.global.b32 {{.*}}, [[M]];
extern "C" __global__ void low(unsigned* o, unsigned char* b, unsigned short* s, const double* x, const float* f) {
  int i = threadIdx.x;
  double d = x[i] * x[i];
  o[i] = (unsigned)__double_as_longlong(d);
  float g = f[i] * f[i];
// CHECK:       mov.b32 [[G:%r[0-9]+]]
// CHECK:       st.global.b8 {{.*}}, [[G]];
  b[i] = (unsigned char)(__float_as_uint(g) | 0x100);
// CHECK:       mov.b32 [[H:%r[0-9]+]]
// CHECK:       st.global.b16 {{.*}}, [[H]];
  s[i] = (unsigned short)__float_as_uint(g + 1.f);
}

// CHECK-LABEL: .entry half(
// CHECK:       mov.b16 [[S:%rs[0-9]+]]
// CHECK:       st.global.b8 {{.*}}, [[S]];
extern "C" __global__ void half(unsigned char* b, const unsigned short* h) {
  unsigned short product;
  asm("mul.f16 %0, %1, %1;" : "=h"(product) : "h"(h[threadIdx.x]));
  b[threadIdx.x] = (unsigned char)product;
}

// CHECK-LABEL: .entry loaded(
// CHECK-NOT:   inline asm
extern "C" __global__ void loaded(unsigned* o, float* w, const double* x) {
  o[threadIdx.x] = (unsigned)__double_as_longlong(x[threadIdx.x]);
  w[threadIdx.x] = (float)x[threadIdx.x];
}
// CHECK:       .entry stack(
// CHECK:       mov.b64 [[V:%rd[0-9]+]], %rd{{[0-9]+}};
// CHECK:       st.shared.b32 {{.*}}, [[V]];
struct alignas(16) Wide { int x, y, z; double w; };
extern "C" __global__ __launch_bounds__(64) void stack(double* o, const int* i, double factor) {
  Wide a[2];
  for (int k = 0; k < 2; ++k) { a[k].x = threadIdx.x; a[k].y = k; a[k].z = i[k]; a[k].w = 1.5; }
  for (int k = 0; k < 8; ++k) {
    Wide& one = a[i[k * 32 + threadIdx.x] & 1];
    one.w *= a[i[k * 32 + threadIdx.x + 7] & 1].w * factor;
    one.x += one.y;
  }
  o[threadIdx.x] = a[0].w + a[1].w + a[0].x + a[1].x;
}
// CHECK:       .entry unaligned(
// CHECK:       mov.b32 [[P:%r[0-9]+]], %r{{[0-9]+}};
// CHECK:       st.global.b8 {{.*}}, [[P]];
// CHECK:       mov.b64 [[Q:%rd[0-9]+]], %rd{{[0-9]+}};
// CHECK:       st.global.b32 {{.*}}, [[Q]];
struct __attribute__((packed)) Packed { float f; };
struct __attribute__((packed, aligned(4))) Halves { double d; };
extern "C" __global__ void unaligned(Packed* p, Halves* h, const float* f, const double* d) {
  p[threadIdx.x].f = f[threadIdx.x] * 3.f;
  h[threadIdx.x].d = d[threadIdx.x] * 3.;
}
// CHECK:       .entry permuted(
// CHECK:       mov.b32 [[R:%r[0-9]+]], %r{{[0-9]+}};
// CHECK:       st.global.b8 {{.*}}, [[R]];
extern "C" __global__ void permuted(unsigned char* b, unsigned x) {
  b[threadIdx.x] = (unsigned char)__byte_perm(x, __float_as_uint((float)threadIdx.x), 0x0054);
}
