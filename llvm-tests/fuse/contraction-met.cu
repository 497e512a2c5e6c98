// Both sides end with a product that is subtracted behind them. A phi stands between the products and the difference, so
// nothing joins them. Melded, the products would become one that the difference uses: they keep a rounding of their own.
//
// DEFINE: %{compile} = %clang_cuda %s -o -
// RUN: %{compile} -S -emit-llvm | %FileCheck %s --check-prefix=IR
// RUN: %{compile} -S | %FileCheck %s --check-prefix=PTX
// RUN: %{compile} -S -mllvm -warpwise-results=contract | %FileCheck %s --check-prefix=ANY

// IR-LABEL: define {{.*}} @met(
// IR-NOT: br i1
// IR-NOT: fmul
// IR: call float asm "mul.rn.f32
// IR-NOT: fmul
// IR: ret void

// PTX: .entry met(
// PTX-NOT: fma.rn.f32
// PTX: ret;

// ANY: .entry met(
// ANY: fma.rn.f32
// ANY: ret;
extern "C" __global__ void met(float *out, float *roots, const float *a, float by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = a[i], root;
  if (i & 1) {
    root = sqrtf(v) / by;
    v -= root * v;
  } else {
    root = sqrtf(v + 1.f) / (by + 2.f);
    v -= root * fabsf(v);
  }
  out[i] = v;
  roots[i] = root;
}
