// Which products and sums become one multiply-add decides the last bit of results, and LLVM's later passes decide that. Each of
// these branches was melded or converted once, and the multiply-adds were not clang's: now they stay.
//
// RUN: %clang_cuda %s -S -o - -Rpass=warpwise -Rpass-missed=warpwise 2>&1 | %FileCheck %s --implicit-check-not="branch fused"
// RUN: %clang_cuda %s -S -o - -mllvm -warpwise-results=contract -Rpass=warpwise 2>&1 | %FileCheck %s --check-prefix=ANY
// ANY-COUNT-3: divergent branch fused

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

// A chain that only one way needs moves there, away from its first product.
extern "C" __global__ void chain(float *out, unsigned *bits, const float *a, const float *b, const unsigned *c, float x, float y, float z) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float product = a[i] * b[i];
  unsigned v = __float_as_uint(product);
  bits[i] = v;
  __syncthreads();
  float s = product + (float)(c[i] & 1023);
  float r = (x - s) * (s + 0.5f) + (float)(c[i + 1] & 1023);
  if (v & 1) r = 3.25f;
  else if ((v & 63) < 24) r = y;
  else if ((v & 63) < 32) r = z;
  else if ((v & 63) < 40) r = r;
  else r = fabsf(x);
  __syncthreads();
  out[i] = r;
}

// ptxas unrolls a loop that is left in one place only, and a product then meets the sum of the next iteration.
// CHECK: contraction.cu:[[@LINE+5]]:{{.*}} not fused: other products and sums could become multiply-adds
extern "C" __global__ void carried(float *out, const float *a, const float *b, const int *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = a[i];
  for (int k = 0; k < n; ++k) {
    if (c[i + k] > i) {
      if ((i & 31) < 25) { out[0] = (float)((i >> 5) % (threadIdx.x | 1)); return; }
    } else {
      if ((i & 31) < 25) { out[0] = (float)((i >> 5) % (threadIdx.x | 1)); return; }
    }
    out[i & 7] = out[k & 7];
    v = (v - a[k]) * ((float)(i & 31) - b[i]);
  }
  out[i] = v;
}

// A tree of branches keeps a product apart from sums behind it.
extern "C" __global__ void between(float *out, int *other, const float *a, const float *b, const float *c, const int *d, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float product = a[i] * b[i];
  unsigned v = d[i];
  int r;
  if (v & 1) r = threadIdx.y;
  else if ((v & 63) < 16) r = i - m;
  else if ((v >> 3) & 1) r = i & 1023;
  else if ((v & 63) < 40) r = i * 7;
  else r = i & 31;
  other[i] = r;
  float x;
  if (d[i + 1] > i) x = fmaf(c[i] + product, -255.f, product) * a[i + 4];
  else x = fmaf(c[i] + product, b[3], product) * (product + a[7]);
  out[i] = x;
}
