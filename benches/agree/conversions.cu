// What IEEE fixes to the last bit: sums, products, quotients, roots and fused products in every rounding mode, conversions
// between all types, denormals, halves.
//
// simt: --kernel conversions --grid 8 --block 128 --arg u32[2048]:random:11 --arg u32[32768]:zero --arg u64[16384]:zero

#include "agree.h"
#include <cuda_fp16.h>

__device__ inline unsigned bits(float x) { return x != x ? 0x7fffffff : __float_as_uint(x); }
__device__ inline u64 bits(double x) { return x != x ? 0x7fffffffffffffffull : (u64)__double_as_longlong(x); }

extern "C" __global__ void conversions(const unsigned *in, unsigned *out, u64 *wide) {
  unsigned i = global(), a = in[2 * i], b = in[2 * i + 1];
  // Any bits at all, or numbers of moderate size.
  float x = (i & 1) ? __uint_as_float(a) : (int)a * 1e-5f, y = (i & 1) ? __uint_as_float(b) : (int)b * 3e-7f;
  float p = fabsf(x);
  unsigned *mine = out + 32 * i;
  mine[0] = bits(x + y);
  mine[1] = bits(x - y);
  mine[2] = bits(x * y);
  mine[3] = bits(x / y);
  mine[4] = bits(sqrtf(p));
  mine[5] = bits(fmaf(x, y, 1.5f));
  mine[6] = bits(__fadd_rz(x, y)) ^ bits(__fadd_ru(x, y)) * 3 ^ bits(__fadd_rd(x, y)) * 5;
  mine[7] = bits(__fmul_rz(x, y)) ^ bits(__fmul_ru(x, y)) * 3 ^ bits(__fmul_rd(x, y)) * 5;
  mine[8] = bits(__fdiv_rz(x, y)) ^ bits(__fdiv_ru(x, y)) * 3 ^ bits(__fdiv_rd(x, y)) * 5;
  mine[9] = bits(__fmaf_rz(x, y, x)) ^ bits(__fmaf_ru(x, y, x)) * 3 ^ bits(__fmaf_rd(x, y, x)) * 5;
  mine[10] = bits(__fsqrt_rz(p)) ^ bits(__fsqrt_ru(p)) * 3 ^ bits(__fsqrt_rd(p)) * 5;
  mine[11] = bits(__frcp_rn(x)) ^ bits(__frcp_rz(y)) * 3;
  mine[12] = __float2int_rn(x) ^ __float2int_rz(y);
  mine[13] = __float2int_ru(x) ^ __float2int_rd(y);
  mine[14] = __float2uint_rn(x) ^ __float2uint_rz(y);
  mine[15] = bits(__int2float_rn(a)) ^ bits(__int2float_rz(a)) * 3 ^ bits(__int2float_ru(b)) * 5;
  mine[16] = bits(__uint2float_rn(a)) ^ bits(__uint2float_rd(b)) * 3;
  mine[17] = bits(floorf(x)) ^ bits(ceilf(y)) * 3 ^ bits(truncf(x)) * 5 ^ bits(rintf(y)) * 7;
  mine[18] = bits(fminf(x, y)) ^ bits(fmaxf(x, y)) * 3;
  mine[19] = bits(copysignf(x, y)) ^ bits(fabsf(y)) * 3;
  mine[20] = (x < y) | (x <= y) << 1 | (x == y) << 2 | (x != x) << 3 | isinf(y) << 4 | signbit(x) << 5;
  __half h = __float2half_rn(x), g = __float2half_rz(y);
  mine[21] = __half_as_ushort(h) | __half_as_ushort(g) << 16;
  mine[22] = bits(__half2float(__ushort_as_half(a)));
  mine[23] = bits(__half2float(__hadd(h, g))) ^ bits(__half2float(__hmul(h, g))) * 3;
  mine[24] = bits(__half2float(__hfma(h, g, h)));
  mine[25] = bits((float)(double)x * 1.25f);
  mine[26] = (unsigned)(long long)fminf(fmaxf(x, -1e18f), 1e18f);
  mine[27] = bits((float)(long long)((u64)a << 32 | b)) ^ bits((float)((u64)b << 32 | a)) * 3;
  mine[28] = bits(fmodf(x, 7.5f));
  mine[29] = bits(ldexpf(y, (int)(a & 63) - 32));
  mine[30] = bits(__saturatef(x));
  mine[31] = bits(rsqrtf(4.0f) + 1.0f); // exact
  double dx = (i & 1) ? __longlong_as_double((u64)a << 32 | b) : (int)a * 1e-3, dy = (int)b * 7e-4 + 1e-9;
  u64 *w = wide + 16 * i;
  w[0] = bits(dx + dy);
  w[1] = bits(dx * dy);
  w[2] = bits(dx / dy);
  w[3] = bits(sqrt(fabs(dx)));
  w[4] = bits(fma(dx, dy, -dx));
  w[5] = bits(__dadd_ru(dx, dy)) ^ bits(__dmul_rz(dx, dy)) * 3 ^ bits(__ddiv_rd(dx, dy)) * 5;
  w[6] = bits(__fma_ru(dx, dy, dy)) ^ bits(__dsqrt_ru(fabs(dx))) * 3;
  w[7] = bits((float)dx) ^ (u64)bits(__double2float_rz(dx)) << 32;
  w[8] = (u64)__double2ll_rn(dx) ^ (u64)__double2ull_rz(dy) * 3;
  w[9] = (u64)__double2int_rn(dx) ^ (u64)__double2uint_rd(dy) << 32;
  w[10] = bits(__ll2double_rn((u64)a << 32 | b)) ^ bits(__ull2double_rz((u64)b << 32 | a)) * 3;
  w[11] = bits((double)x) ^ bits((double)(int)a) * 3;
  w[12] = bits(floor(dx)) ^ bits(rint(dy)) * 3 ^ bits(trunc(dx)) * 5;
  w[13] = bits(fmin(dx, dy)) ^ bits(fmax(dx, dy)) * 3;
  w[14] = (dx < dy) | (dx != dx) << 1;
  w[15] = bits(fmod(dy, 0.7));
}
