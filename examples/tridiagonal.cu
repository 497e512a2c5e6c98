// Tridiagonal systems, one a block: cyclic reduction (CR) and parallel cyclic reduction (PCR).
//
// Row i reads a[i]*x[i-1] + b[i]*x[i] + c[i]*x[i+1] = d[i]. A step of CR eliminates every other row that is left, so
// ever fewer threads work (the guard diverges) and ever wider strides meet in ever fewer banks: 2, 4, 8, … ways. A step
// of PCR reduces all rows at once to two systems of half the size: more additions, but all threads stay busy, lanes are
// always one word apart, and the only branches that diverge are those at the ends of the system. (M. Alfaro Vigo and
// S. Rossetto's course on CUDA, SBMAC 2016, in our own words.)
//
// Without arguments: runs on the GPU and checks that the solution is the one the right-hand side was made from.
//
// simt: --kernel solve_cr --grid 1 --block 32 --arg f32[64]:fill:1 --arg f32[64]:fill:4 --arg f32[64]:fill:1 --arg f32[64]:list:1,6,12,18,24,30,36,42,48,54,60,66,72,78,84,90,96,102,108,114,120,126,132,138,144,150,156,162,168,174,180,186,192,198,204,210,216,222,228,234,240,246,252,258,264,270,276,282,288,294,300,306,312,318,324,330,336,342,348,354,360,366,372,314 --arg f32[64]:zero
// expect: 4[0] = 0, 1, 2, 3, 4, 5, 6, 7
// expect: 4[60] = 60, 61, 62, 63
// simt: --kernel solve_pcr --grid 1 --block 64 --arg f32[64]:fill:1 --arg f32[64]:fill:4 --arg f32[64]:fill:1 --arg f32[64]:list:1,6,12,18,24,30,36,42,48,54,60,66,72,78,84,90,96,102,108,114,120,126,132,138,144,150,156,162,168,174,180,186,192,198,204,210,216,222,228,234,240,246,252,258,264,270,276,282,288,294,300,306,312,318,324,330,336,342,348,354,360,366,372,314 --arg f32[64]:zero
// expect: 4[0] = 0, 1, 2, 3, 4, 5, 6, 7
// expect: 4[60] = 60, 61, 62, 63

#include "check.h"

constexpr int Size = 64;

// Size/2 threads. In shared memory row i of a system stands at i; rows that are not there are the identity.
extern "C" __global__ void solve_cr(const float *a, const float *b, const float *c, const float *d, float *x) {
  __shared__ float sa[Size], sb[Size], sc[Size], sd[Size], sx[Size];
  int t = threadIdx.x, base = blockIdx.x * Size;
  for (int i = t; i < Size; i += Size / 2)
    sa[i] = a[base + i], sb[i] = b[base + i], sc[i] = c[base + i], sd[i] = d[base + i];
  int step = 1;
  for (int active = Size / 2; active > 0; active /= 2, step *= 2) { // reduce: row i absorbs i-step and i+step
    __syncthreads();
    if (t < active) {
      int i = 2 * step * (t + 1) - 1, left = i - step, right = i + step;
      float k1 = sa[i] / sb[left], k2 = right < Size ? sc[i] / sb[right] : 0.0f;
      int other = right < Size ? right : i; // k2 is 0 there
      sb[i] -= sc[left] * k1 + sa[other] * k2;
      sd[i] -= sd[left] * k1 + sd[other] * k2;
      sa[i] = -sa[left] * k1;
      sc[i] = -sc[other] * k2;
    }
  }
  __syncthreads();
  if (t == 0)
    sx[Size - 1] = sd[Size - 1] / sb[Size - 1];
  for (int active = 1; active < Size; active *= 2) { // substitute: row i has its neighbours' solutions
    step /= 2;
    __syncthreads();
    if (t < active) {
      int i = 2 * step * t + step - 1;
      float before = i >= step ? sx[i - step] : 0.0f;
      sx[i] = (sd[i] - sa[i] * before - sc[i] * sx[i + step]) / sb[i];
    }
  }
  __syncthreads();
  for (int i = t; i < Size; i += Size / 2)
    x[base + i] = sx[i];
}

// Size threads, a row each.
extern "C" __global__ void solve_pcr(const float *a, const float *b, const float *c, const float *d, float *x) {
  __shared__ float sa[Size], sb[Size], sc[Size], sd[Size];
  int t = threadIdx.x, row = blockIdx.x * Size + t;
  float va = a[row], vb = b[row], vc = c[row], vd = d[row];
  for (int step = 1; step < Size; step *= 2) {
    sa[t] = va, sb[t] = vb, sc[t] = vc, sd[t] = vd;
    __syncthreads();
    float na = 0.0f, nc = 0.0f;
    if (t >= step) {
      float k = va / sb[t - step];
      na = -sa[t - step] * k;
      vb -= sc[t - step] * k;
      vd -= sd[t - step] * k;
    }
    if (t + step < Size) {
      float k = vc / sb[t + step];
      nc = -sc[t + step] * k;
      vb -= sa[t + step] * k;
      vd -= sd[t + step] * k;
    }
    va = na, vc = nc;
    __syncthreads();
  }
  x[row] = vd / vb;
}

int main() {
  const int systems = 100, n = systems * Size;
  std::vector<float> a(n), b(n), c(n), d(n), want(n);
  for (int i = 0; i < n; ++i) {
    a[i] = i % Size ? 1.0f : 0.0f, b[i] = 4 + i % 3, c[i] = (i + 1) % Size ? 1.5f : 0.0f; // dominant diagonal
    want[i] = i * 7 % 31 - 15;
  }
  for (int i = 0; i < n; ++i)
    d[i] = (i % Size ? a[i] * want[i - 1] : 0) + b[i] * want[i] + ((i + 1) % Size ? c[i] * want[i + 1] : 0);
  Device<float> da(a), db(b), dc(c), dd(d), first(n), second(n);
  solve_cr<<<systems, Size / 2>>>(da, db, dc, dd, first);
  finish("solve_cr");
  expect("solve_cr", first.host(), want, 1e-4);
  solve_pcr<<<systems, Size>>>(da, db, dc, dd, second);
  finish("solve_pcr");
  expect("solve_pcr", second.host(), want, 1e-4);
}
