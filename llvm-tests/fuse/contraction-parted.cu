// Only the divisions are melded. LLVM would make one sum of the two that a select chooses between, with a select of the
// products, which nothing joins with it: the multiply-adds of both sides are therefore made explicit.
//
// DEFINE: %{compile} = %clang_cuda %s -o -
// RUN: %{compile} -S -emit-llvm | %FileCheck %s --check-prefix=IR
// RUN: %{compile} -S | %FileCheck %s --check-prefix=PTX
// RUN: %{compile} -S -mllvm -warpwise-results=contract | %FileCheck %s --check-prefix=ANY

// IR-LABEL: define {{.*}} @parted(
// IR: call contract float @llvm.fma.f32(
// IR-NOT: br i1
// IR: call contract float @llvm.fma.f32(
// IR-NOT: br i1
// IR: ret void

// PTX: .entry parted(
// PTX-COUNT-2: fma.rn.f32
// PTX-NOT: mul{{(.rn)?}}.f32
// PTX: ret;

// ANY: .entry parted(
// ANY-NOT: fma.rn.f32
// ANY: ret;
extern "C" __global__ void parted(float *out, const float *a, const float *b, const float *c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[i], y = b[i], s = c[i];
  if (i & 1)
    s = (s + x * 3.f) / (y + 2.f);
  else
    s = (s - y * 5.f) / (x - 3.f);
  out[i] = s;
}
