// The product of two loads that every iteration repeats is computed once LLVM has unrolled the loop: the sums of later copies
// use it, and are not joined with it. With the branch melded, each copy had a multiply-add. So the branch stays, unless last
// bits may change.
//
// RUN: %clang_cuda %s -S -o %t.ptx -Rpass=warpwise 2>&1 | %FileCheck %s --check-prefix=SAME --allow-empty
// RUN: %clang_cuda %s -S -o %t.ptx -Rpass=warpwise -mllvm -warpwise-results=contract 2>&1 | %FileCheck %s --check-prefix=ANY
// SAME-NOT: divergent branch fused
// ANY: divergent branch fused
struct Arg { float f[4]; };
extern "C" __global__ void kernel(unsigned *o, const unsigned *__restrict__ I, const float *__restrict__ F,
                                  const double *__restrict__ D, unsigned n, Arg p) {
  const unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  unsigned v = t;
  double s = D[t];
#pragma unroll 4
  for (unsigned j = 0; j < 8; ++j) {
    if (n == I[(t + j) & 4095]) {
      v ^= __byte_perm(t >> 5, v, 0x7632);
      if (F[t * 27 & 4095] < F[t * 31 & 4095]) goto out;
      if ((t & 31) < 15) break;
      if (p.f[t & 3] > (float)t) goto out;
    } else {
      v ^= __byte_perm(t >> 5, v, 0x7632);
      if (F[t * 27 & 4095] < F[t * 31 & 4095]) goto out;
      if ((t & 31) < 15) break;
      if (p.f[t & 3] > (float)t) goto out;
    }
    s += D[2930] * (double)p.f[t & 3];
  }
out:
  o[t] = v ^ (unsigned)__double2int_rn(s);
}
