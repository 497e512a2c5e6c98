// Which products and sums become one multiply-add decides the last bit of results, and LLVM's later passes decide that. Each of
// these branches was melded or converted once, and the multiply-adds were not clang's: now they stay.
//
// RUN: %clang_cuda %s -S -o - -Rpass=warpwise -Rpass-missed=warpwise 2>&1 | %FileCheck %s --implicit-check-not="branch fused"
// RUN: %clang_cuda %s -S -o - -mllvm -warpwise-results=contract -Rpass=warpwise 2>&1 | %FileCheck %s --check-prefix=ANY
// ANY-COUNT-4: divergent branch fused

// Of two sums that a select chooses between, LLVM makes one, with a select of the products.
// CHECK: contraction.cu:[[@LINE+4]]:{{.*}} not fused: other products and sums could become multiply-adds
extern "C" __global__ void parted(float *out, const float *a, const float *b, const float *c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[i], y = b[i], s = c[i];
  if (i & 1)
    s = (s + x * 3.f) / (y + 2.f);
  else
    s = (s - y * 5.f) / (x - 3.f);
  out[i] = s;
}

// A phi stands between the products and the difference behind the branch.
// CHECK: contraction.cu:[[@LINE+4]]:{{.*}} not fused: other products and sums could become multiply-adds
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

// LLVM moves the difference and the store, with which both sides end, behind them.
// CHECK: contraction.cu:[[@LINE+4]]:{{.*}} not fused: other products and sums could become multiply-adds
extern "C" __global__ void stored(float *out, const float *a, const float *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[i], y = b[i];
  if (i & 1)
    out[i] -= sqrtf(x / (y + 2.f)) * (y - 1.f);
  else
    out[i] -= sqrtf(x / (y + 3.f)) / (y + 1.f);
}

// All users of the product come into one block, and LLVM moves it there.
// CHECK: contraction.cu:[[@LINE+4]]:{{.*}} not fused: other products and sums could become multiply-adds
extern "C" __global__ void shared_product(float *out, const float *a, const float *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[i], y = b[i], p = x * y;
  if (i & 1)
    out[i] = sqrtf(p / (p + y)) / (x + 2.f);
  else
    out[i] = sqrtf(p / (p - y)) / (x + 3.f);
}
