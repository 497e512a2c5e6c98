// Integer arithmetic at every width: products and their high halves, quotients, shifts past the width, bit tricks.
//
// simt: --kernel integers --grid 8 --block 128 --arg i32[2048]:random:9 --arg u32[24576]:zero --arg u64[8192]:zero

#include "agree.h"

extern "C" __global__ void integers(const int *in, unsigned *out, u64 *wide) {
  unsigned i = global();
  int a = in[2 * i], b = in[2 * i + 1];
  unsigned ua = a, ub = b, s = ub & 31;
  int d = b % 1000 == 0 ? 7 : b % 1000;
  unsigned *mine = out + 24 * i;
  mine[0] = ua * ub + 3;
  mine[1] = __mulhi(a, b);
  mine[2] = __umulhi(ua, ub);
  mine[3] = a / d;
  mine[4] = a % d;
  mine[5] = ua / (unsigned)(d < 0 ? -d : d);
  mine[6] = ua % 10;
  mine[7] = a >> s;
  mine[8] = ua >> s ^ ua << s;
  mine[9] = __funnelshift_l(ua, ub, s) + __funnelshift_r(ua, ub, ub);
  mine[10] = __brev(ua) ^ __clz(a) ^ __popc(ub) << 8 ^ __ffs(a) << 16;
  mine[11] = __byte_perm(ua, ub, 0x3615);
  mine[12] = min(a, b) ^ max(ua, ub);
  mine[13] = abs(a) + (a < b ? 1 : -1);
  mine[14] = __sad(a, b, 5u) + __usad(ua, ub, 9u);
  mine[15] = __hadd(a, b) ^ __rhadd(a, b) ^ __uhadd(ua, ub);
  mine[16] = (short)a * (short)b + (signed char)(a >> 3) * (unsigned char)b;
  mine[17] = (short)((short)a / (short)(d | 1));
  mine[18] = (unsigned char)(ua + ub) | (unsigned)(unsigned short)(ua - ub) << 16;
  mine[19] = (ua >> 8) * (ub & 0xffffff);
  mine[20] = (ua & 0xff) * (ub >> 24) ^ (unsigned)((int)ua >> 31 & ub);
  mine[21] = __dp4a(a, b, 17) ^ __dp4a(ua, ub, 3u);
  mine[22] = (a ^ b) & ~(a | 0x0f0f) | (ua == ub) | (a <= b) << 1;
  mine[23] = __clzll((long long)a * b) + __popcll((u64)ua * ub) + __ffsll((long long)a << 20);
  u64 x = (u64)ua << 32 | ub, y = (u64)ub << 13 ^ ua;
  long long sx = x, sy = y | 1;
  u64 *w = wide + 8 * i;
  w[0] = x * y;
  w[1] = __umul64hi(x, y);
  w[2] = __mul64hi(sx, sy);
  w[3] = x / (y | 1);
  w[4] = sx % sy;
  w[5] = sx >> (ub & 63);
  w[6] = x << (ub & 63) | __brevll(y);
  w[7] = (u64)((__int128)sx * sy >> 37) + (u64)(((unsigned __int128)x * y) >> 70);
}
