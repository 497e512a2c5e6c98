// Kernels of the machine's own tests, compiled by clang at -O0 to -O3; tests/simt.rs holds what they must compute.
#include <cuda_fp16.h>
#include <cstdio>

extern "C" __global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}

extern "C" __global__ void collatz(int n, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned v = i + 1;
  int steps = 0;
  while (v != 1) {
    v = v & 1 ? 3 * v + 1 : v / 2;
    steps++;
  }
  out[i] = steps;
}

extern "C" __global__ void reduce(const float *in, float *out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d)
      s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = s[0];
}

extern "C" __global__ void warp_sum(const int *in, int *out) {
  int v = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int d = 16; d > 0; d >>= 1)
    v += __shfl_down_sync(0xffffffff, v, d);
  if ((threadIdx.x & 31) == 0)
    atomicAdd(out, v);
}

extern "C" __global__ void halves(const __half2 *in, __half2 *out, float *f) {
  int i = threadIdx.x;
  __half2 a = in[i];
  out[i] = __hfma2(a, a, __hadd2(a, a));
  f[i] = __half2float(__low2half(a)) - __half2float(__high2half(a));
}

// continue, break and a branch whose post-dominator the lanes reach in different iterations.
extern "C" __global__ void ladder(int *out) {
  int t = threadIdx.x, i = 0, sum = 0;
  while (true) {
    i++;
    if ((t ^ i) & 1) {
      sum += 3 * i;
      if ((t + i) % 3 == 0)
        continue;
    }
    sum ^= i << 4;
    if (i > 5 + (t & 7))
      break;
  }
  out[t] = sum;
}

// Jumps into a loop from two sides.
extern "C" __global__ void irreducible(int *out) {
  int t = threadIdx.x, i = t & 3, sum = 0;
  if (t & 4)
    goto second;
first:
  sum = sum * 5 + i;
  if (sum & 64)
    goto done;
second:
  sum += 7 * i + 1;
  i++;
  if (i < 9 + (t & 1))
    goto first;
done:
  out[t] = sum;
}

__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

extern "C" __global__ void recursive(int *out) {
  int t = threadIdx.x;
  if (t % 5 != 2)
    out[t] = fib(t % 11);
}

typedef int (*function)(int);
__device__ int add_one(int x) { return x + 1; }
__device__ int twice(int x) { return x * 2; }
__device__ int less_seven(int x) { return x - 7; }
__device__ function table[3] = {add_one, twice, less_seven};

extern "C" __global__ void indirect(int *out) {
  int t = threadIdx.x;
  out[t] = table[t % 3](t);
}

struct Parameters {
  int a;
  double b;
  short c[3];
};

extern "C" __global__ void mixture(Parameters p, int *out, double *d, const int *index) {
  extern __shared__ int dynamic[];
  int t = threadIdx.x + threadIdx.y * blockDim.x;
  int n = blockDim.x * blockDim.y;
  int local[8];
  for (int i = 0; i < 8; i++)
    local[i] = t * i;
  dynamic[t] = local[index[t] & 7];
  __syncthreads();
  // Unsigned: what follows wraps around.
  unsigned v = dynamic[(t + 1) % n];
  switch (t % 5) {
  case 0:
    v += 1000;
    break;
  case 1:
    v *= 3;
    break;
  case 3:
    v ^= 0x55;
    break;
  default:
    v -= p.a;
  }
  v += p.c[t % 3];
  v += __popc(t * 77) + 10 * __clz(t) + 100 * __ffs(t) + (__brev(t) >> 20);
  unsigned long long w = (unsigned long long)t * 0x123456789abcdefULL;
  v += (unsigned)__umul64hi(w, w);
  v += (unsigned)((unsigned __int128)w * w >> 70);
  out[t] = v;
  d[t] = sqrt((double)t) * p.b;
}

extern "C" __global__ void histogram(const unsigned char *in, int n, int *bins) {
  __shared__ int h[16];
  if (threadIdx.x < 16)
    h[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&h[in[i] >> 4], 1);
  __syncthreads();
  if (threadIdx.x < 16)
    atomicAdd(&bins[threadIdx.x], h[threadIdx.x]);
}

extern "C" __global__ void votes(const int *in, unsigned *out) {
  int t = threadIdx.x, v = in[t];
  unsigned b = __ballot_sync(0xffffffff, v > 10);
  unsigned m = __match_any_sync(0xffffffff, v & 3);
  unsigned r = __reduce_add_sync(0xffffffff, (unsigned)v);
  int all = __all_sync(0xffffffff, v >= 0), any = __any_sync(0xffffffff, v == 7);
  unsigned x = __shfl_xor_sync(0xffffffff, (unsigned)v, 5);
  out[t] = b ^ m * 3 ^ r * 5 ^ all * 7 ^ any * 11 ^ x * 13;
}

extern "C" __global__ void fields(unsigned *out) {
  struct {
    unsigned a : 3, b : 7, c : 11;
  } s;
  int t = threadIdx.x;
  s.a = t;
  s.b = t * 3;
  s.c = t * 5;
  if (s.b > 50)
    s.a = s.c & 7;
  out[t] = s.a | s.b << 8 | s.c << 16;
}

extern "C" __global__ void hello() {
  if (threadIdx.x < 2)
    printf("thread %d of %u: %5.2f %s|%c\n", threadIdx.x, blockDim.x, threadIdx.x * 1.5, "text", 'x');
}

extern "C" __global__ void trigonometry(const double *x, double *y) {
  int t = threadIdx.x;
  y[4 * t] = sin(x[t]);
  y[4 * t + 1] = exp(x[t] * 0.01);
  y[4 * t + 2] = pow(1.5, x[t] * 0.1);
  y[4 * t + 3] = atan2(x[t], 3.0);
}
