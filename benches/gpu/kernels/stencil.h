// Star stencils in three dimensions with arms of R points: 6 * R + 1 points in all, in three codings.
//   base    straight from global memory
//   csl     the same through the read-only cache, as a person writes it with __ldg
//   comp    the plane in shared memory, the arms along z from global memory
// `promise` is __restrict__ or nothing.
// A block computes a 32 by 8 tile and marches along z. Sums run in one order, so all codings agree to the last bit.

#define POINT(get) \
  float s = weight[0] * get(0, 0, 0); \
  _Pragma("unroll") for (int r = 1; r <= R; r++) { \
    s = fmaf(weight[r], get(-r, 0, 0) + get(r, 0, 0), s); \
    s = fmaf(weight[r], get(0, -r, 0) + get(0, r, 0), s); \
    s = fmaf(weight[r], get(0, 0, -r) + get(0, 0, r), s); \
  }

#define GLOBAL(dx, dy, dz) p[(dz) * plane + (dy) * row + (dx)]
#define CACHED(dx, dy, dz) __ldg(&p[(dz) * plane + (dy) * row + (dx)])
#define SHARED(dx, dy, dz) ((dz) == 0 ? tile[R + threadIdx.y + (dy)][R + threadIdx.x + (dx)] : p[(dz) * plane])

#define STENCIL(name, promise, get, before) \
  extern "C" __global__ __launch_bounds__(256) void name( \
      const float *promise in, const float *promise weight, float *promise out, int nx, int ny, int nz) { \
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y; \
    int row = nx + 2 * R, plane = row * (ny + 2 * R); \
    for (int z = 0; z < nz; z++) { \
      const float *p = in + (z + R) * plane + (y + R) * row + x + R; \
      before \
      POINT(get) \
      out[(z * ny + y) * nx + x] = s; \
    } \
  }

#define STAGE_TILE \
  __shared__ float tile[8 + 2 * R][32 + 2 * R]; \
  __syncthreads(); \
  for (int i = threadIdx.y * 32 + threadIdx.x; i < (8 + 2 * R) * (32 + 2 * R); i += 256) { \
    int ty = i / (32 + 2 * R), tx = i % (32 + 2 * R); \
    tile[ty][tx] = p[(ty - (int)threadIdx.y - R) * row + tx - (int)threadIdx.x - R]; \
  } \
  __syncthreads();
