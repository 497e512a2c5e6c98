// A product whose two sums are in another block: melding the loops far behind them in the middle of the pipeline lets LLVM move
// the product to the sums, where the three become two multiply-adds. Nothing is melded early in such a function.
//
// RUN: %clang_cuda %s -S -o - | %FileCheck %s --implicit-check-not=fma.rn
// CHECK: .entry open(
// CHECK: mul.f32
// CHECK-COUNT-2: add.f32
struct Arg {
  int a[8];
  float f[4];
};
static __device__ unsigned hs(float x) { return x != x ? 0x7fc00000u : __float_as_uint(x); }
static __device__ unsigned hs(double x) {
  unsigned long long n = __double_as_longlong(x);
  return x != x ? 0x7ff80000u : (unsigned)n ^ (unsigned)(n >> 32) * 2654435761u;
}
static __device__ unsigned mix(unsigned h, unsigned v) {
  h ^= v;
  h *= 0x9E3779B1u;
  return h ^ (h >> 15);
}
static __device__ unsigned tix() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
static __device__ unsigned nthr() { return blockDim.x * blockDim.y * blockDim.z; }
static __device__ unsigned bix() { return blockIdx.x + gridDim.x * blockIdx.y; }
static __device__ unsigned lanes() {
  unsigned left = nthr() - (tix() & ~31u);
  return left >= 32 ? ~0u : (1u << left) - 1;
}

extern "C" __global__ void open(unsigned *O, const unsigned *I, const float *F, const double *D, const unsigned char *B,
                                unsigned *A, int n, int m, float fa, Arg p) {
  const unsigned tx = tix(), nt = nthr(), gid = bix() * nt + tx, wm = lanes();
  unsigned *const out = O + gid * 8;
  __shared__ double S[1024];
  double *const sh = S + tx * 1;
  for (unsigned i = 0; i < 1; ++i)
    sh[i] = (double)((1.5 * D[(blockIdx.x) + 40]));
  unsigned v1 = tx;
  int v2 = (int)(tx & 1048575);
  float v3 = F[(gid + 1) & 4095];
  {
    const unsigned w5 = __ballot_sync(wm, ((n) > 1));
    if ((w5 >> (tx & 31)) & 1) {
      if (((p.a[1]) & 1)) {
        if ((((v1 + I[456]) % (__byte_perm(I[(gid + 6) & 4095], (unsigned)B[I[tx & 4095] & 4095], 0x0123) | 1u)) >=
             v1)) {
          v3 *= ((((tx & 31) < 23u) ? (v3 - v3) : (v3 - v3)) - p.f[tx & 3]);
        } else {
          v3 *= ((((tx & 31) < 23u) ? (v3 - v3) : (v3 - v3)) - p.f[tx & 3]);
        }
        if ((I[tx & 4095] >= v1)) {
        }
      } else {
        if ((((v1 + I[456]) % (__byte_perm(I[(gid + 6) & 4095], (unsigned)B[I[tx & 4095] & 4095], 0x0123) | 1u)) >=
             v1)) {
          v3 *= ((((tx & 31) < 23u) ? (v3 - v3) : (v3 - v3)) - p.f[tx & 3]);
        } else {
          v3 *= ((((tx & 31) < 23u) ? (v3 - v3) : (v3 - v3)) - p.f[tx & 3]);
        }
        if ((I[tx & 4095] >= v1)) {
          if ((tx & 1)) {
            out[0] = ((gridDim.x) - tx);
            return;
          }
        }
      }
      v3 += (v3 + v3);
    }
  }
  if (((max(((n) & 1048575), ((n) & 1048575)) + ((-3718) + (int)(tx & 31))) == (int)threadIdx.y)) {
    {
      for (unsigned j10 = (v1 & 7); j10-- > 0;) {
        {
          unsigned b11 = (gid ^ v1), c12 = 0;
          while (b11) {
            b11 &= b11 - 1;
            ++c12;
          }
          v1 ^= c12;
        }
        if (((v1 >> 0) & 1)) {
          sh[(j10 & 0)] = (double)F[(v1 - I[(gid * 25 + 0) & 4095]) & 4095];
        } else {
          if (((v1 >> 1) & 1)) {
            sh[(j10 & 0)] = D[489];
          } else {
            if (v1 == 2u) {
            } else {
              if (v1 == 3u) {
              } else {
                if ((v1 & 63) < 40u) {
                  if (((v1 >> 5) & 1)) {
                    sh[(j10 & 0)] = D[(gid * 20 + 4) & 4095];
                  } else {
                    sh[(j10 & 0)] = (D[(gid + 7) & 4095] + (double)3.25f);
                  }
                }
              }
            }
          }
        }
      }
    }
  } else {
    {
      for (unsigned j13 = (v1 & 7); j13-- > 0;) {
        {
          unsigned b14 = (gid << (v1 & 31)), c15 = 0;
          while (b14) {
            b14 &= b14 - 1;
            ++c15;
          }
          v1 ^= c15;
        }
        if (((v1 >> 0) & 1)) {
          sh[(j13 & 0)] = (double)F[(v1 - I[(gid * 25 + 0) & 4095]) & 4095];
        } else {
          if (((v1 >> 1) & 1)) {
            sh[(j13 & 0)] = D[489];
          } else {
            if (v1 == 2u) {
            } else {
              if (v1 == 3u) {
              } else {
                if ((v1 & 63) < 40u) {
                  if (((v1 >> 5) & 1)) {
                    sh[(j13 & 0)] = D[(gid * 20 + 4) & 4095];
                  } else {
                    sh[(j13 & 0)] = (D[(gid + 7) & 4095] + (double)3.25f);
                  }
                }
              }
            }
          }
        }
      }
    }
  }
  if (((int)(tx & 1048575) < (v2 & 65535))) {
  }
  unsigned h = 0x811c9dc5u;
  for (unsigned i = 0; i < 1; ++i) {
    h = mix(h, hs(sh[i]));
  }
  h = mix(h, hs(v3));
  out[0] = h;
}