// A star of 31 points in three dimensions, marching along z: the eleven planes around the current one queue in
// registers, and the sixteen weights, made on the spot from two factors each, compete with them.
//@ launch grid=nx/32,ny/16 block=32,16
//@ arg in in f32[(nx+10)*(ny+10)*(nz+10)] range(-1,1,1)
//@ arg factor in f32[32] range(-0.5,0.5,2)
//@ arg out out f32[nx*ny*nz]
//@ arg nx i32 512
//@ arg ny i32 512
//@ arg nz i32 64
//@ small nx=32 ny=16 nz=4

constexpr int R = 5;

extern "C" __global__ __launch_bounds__(512, 3)
void stencil31_queue_plain(const float *in, const float *factor, float *out, int nx, int ny, int nz) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  int row = nx + 2 * R, plane = row * (ny + 2 * R);
  const float *p = in + (y + R) * row + x + R;
  float w[3 * R + 1], q[2 * R + 1];
#pragma unroll
  for (int j = 0; j <= 3 * R; j++) w[j] = factor[j] * factor[16 + j];
#pragma unroll
  for (int j = 0; j < 2 * R; j++) q[j + 1] = p[j * plane];
#pragma unroll 1
  for (int z = 0; z < nz; z++) {
#pragma unroll
    for (int j = 0; j < 2 * R; j++) q[j] = q[j + 1];
    q[2 * R] = p[(z + 2 * R) * plane];
    const float *here = p + (z + R) * plane;
    float s = w[0] * q[R];
#pragma unroll
    for (int r = 1; r <= R; r++) {
      s = fmaf(w[r], here[-r] + here[r], s);
      s = fmaf(w[R + r], here[-r * row] + here[r * row], s);
      s = fmaf(w[2 * R + r], q[R - r] + q[R + r], s);
    }
    out[(z * ny + y) * nx + x] = s;
  }
}
