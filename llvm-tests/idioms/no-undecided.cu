// A sum without the flag of contraction: clang makes it of the call. For CUDA it has the back end join products and sums whatever their
// flags say, so ptxas joins this one with the product of the iteration before if it unrolls the loop, which must thus stay as it is.
//
// RUN: %clang_cuda %s -S -o - -Rpass-missed=warpwise 2>&1 | %FileCheck %s
// RUN: %clang_cuda %s -S -o - -ffp-contract=on -Rpass=warpwise 2>&1 | %FileCheck --check-prefix=ON %s
// CHECK: remark: {{.*}}multiply-add
// CHECK: ld.global.b64
// CHECK: st.global.b64
// CHECK: ld.global.b64
// ON: remark: a copy of memory is written as loads and then stores
struct alignas(16) Lines {
  unsigned words[8];
};

extern "C" __global__ void walk(float *f, Lines *out, const Lines *in, float step, int n) {
  unsigned t = threadIdx.x;
  float e = f[t], by = f[t + 1];
  for (int i = 0; i < n; ++i) {
    out[t] = in[i];
    e = by * fmaf(e, 1.f, step);
  }
  f[t] = e;
}
