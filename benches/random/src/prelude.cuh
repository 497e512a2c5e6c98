// What every random source begins with. Integers never overflow: arithmetic is unsigned or bounded by the generator.
typedef unsigned char u8;
typedef signed char i8;
typedef unsigned short u16;
typedef short i16;
typedef unsigned u32;
typedef unsigned long long u64;
typedef long long i64;
typedef _Float16 f16;
typedef float f32;
typedef double f64;

struct Arg { int a[8]; float f[4]; short h[6]; u8 b[12]; u64 q; };
struct Mixed { u8 a; int b; u16 c; u64 d; float e; };
struct Pair { u16 a; u16 b; };
struct Point { float x; float y; float z; };
struct Small { f16 x; i8 y; };
struct Words { u32 w[3]; };
struct alignas(16) Line { u32 w[4]; };
struct alignas(16) Lines { u32 w[8]; };
struct alignas(16) Wide { int x; int y; int z; double w; };

#define DEV static __device__
// A uniform value; variants make it look divergent.
#ifndef U
#define U(x) (x)
#endif
// Whether helpers are calls.
#ifndef CALLED
#define CALLED __noinline__
#endif
#ifndef INLINED
#define INLINED __forceinline__
#endif

DEV __forceinline__ u32 tix() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
DEV __forceinline__ u32 nthr() { return blockDim.x * blockDim.y * blockDim.z; }
DEV __forceinline__ u32 bix() { return blockIdx.x + gridDim.x * blockIdx.y; }
// The lanes of the warp that exist.
DEV __forceinline__ u32 lanes() { u32 left = nthr() - (tix() & ~31u); return left >= 32 ? ~0u : (1u << left) - 1; }

// Bits of a value, with one NaN.
DEV __forceinline__ u32 hs(u32 x) { return x; }
DEV __forceinline__ u32 hs(int x) { return (u32)x; }
DEV __forceinline__ u32 hs(u64 x) { return (u32)x ^ (u32)(x >> 32) * 2654435761u; }
DEV __forceinline__ u32 hs(i64 x) { return hs((u64)x); }
DEV __forceinline__ u32 hs(u16 x) { return x; }
DEV __forceinline__ u32 hs(i16 x) { return (u32)x; }
DEV __forceinline__ u32 hs(u8 x) { return x; }
DEV __forceinline__ u32 hs(i8 x) { return (u32)x; }
DEV __forceinline__ u32 hs(float x) { return x != x ? 0x7fc00000u : __float_as_uint(x); }
DEV __forceinline__ u32 hs(f16 x) { return hs((float)x); }
DEV __forceinline__ u32 hs(double x) { return x != x ? 0x7ff80000u : hs((u64)__double_as_longlong(x)); }
DEV __forceinline__ u32 mix(u32 h, u32 v) { h ^= v; h *= 0x9E3779B1u; return h ^ (h >> 15); }

// A bounded number of a floating-point value.
DEV __forceinline__ int f2i(float x) { return x > -1000.f && x < 1000.f ? (int)x : 7; }
DEV __forceinline__ int d2i(double x) { return x > -1000. && x < 1000. ? (int)x : 9; }
template <int LOW, int HIGH> DEV __forceinline__ int clamp(int x) { return max(LOW, min(x, HIGH)); }

DEV __forceinline__ u32 asm_bits(u32 a, u32 b, u32 c) { u32 r; asm("{ .reg .b32 t; and.b32 t, %1, %2; xor.b32 %0, t, %3; }" : "=r"(r) : "r"(a), "r"(b), "r"(c)); return r; }
DEV __forceinline__ u32 asm_lane() { u32 r; asm volatile("mov.u32 %0, %%laneid;" : "=r"(r)); return r; }
DEV __forceinline__ u32 asm_pick(u32 a, u32 b) { u32 r; asm("{ .reg .pred p; setp.lt.u32 p, %1, %2; selp.b32 %0, %2, %1, p; }" : "=r"(r) : "r"(a), "r"(b)); return r; }
DEV __forceinline__ u32 asm_mad(u32 a, u32 b, u32 c) { u32 r; asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); return r; }

__constant__ u32 TABLE[32] = {3, 141, 59, 26, 535, 8979, 32, 3846, 2643, 383, 2795, 0, 288, 4197, 169, 39937,
                              510, 58, 2097, 494, 4592, 307, 81, 640, 6286, 20, 89986, 28, 34825, 34, 2117, 67};
// The value, to which each thread adds 0.
template <class T> DEV __forceinline__ T opaque(T x) { return x + (T)(TABLE[11] & threadIdx.x); }
__constant__ float WEIGHTS[8] = {0.5f, -1.25f, 3.f, 0.f, 7.5f, -0.125f, 100.f, 1e-3f};
// What a source may compute twice: branches, with products and sums.
template <class T> DEV __forceinline__ T bent(T x, T y) { return x < y ? x * y + (T)1.5 : y - x * x; }
template <class T> DEV __forceinline__ T folded(T x, T y) {
  if (x > (T)4) return y * x;
  T z = x * (T)0.5;
  if (z * z < y) z = y / (x + (T)8);
  return z * y + x;
}
