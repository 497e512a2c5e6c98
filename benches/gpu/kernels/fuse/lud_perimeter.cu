// LU decomposition, the step along the edge: half of a warp solves a strip of rows, the other half a strip of columns;
// the two sides are loops that do alike work on different tiles.
//@ launch grid=4096 block=32
//@ arg diagonal in f32[256] range(1,2,1)
//@ arg rows inout f32[blocks*256] range(-1,1,2)
//@ arg columns inout f32[blocks*256] range(-1,1,3)
//@ small grid=3
//@ also map

constexpr int B = 16;

extern "C" __global__ void lud_perimeter_plain(const float *diagonal, float *rows, float *columns) {
  __shared__ float d[B][B], r[B][B + 1], c[B][B + 1];
  int me = threadIdx.x, base = blockIdx.x * B * B;
  for (int i = me; i < B * B; i += 32) {
    d[i / B][i % B] = diagonal[i];
    r[i / B][i % B] = rows[base + i];
    c[i / B][i % B] = columns[base + i];
  }
  __syncthreads();
  if (me < B) {
    for (int i = 1; i < B; i++) {
      float s = r[i][me];
      for (int j = 0; j < i; j++) s = fmaf(-d[i][j], r[j][me], s);
      r[i][me] = s * 0.5f;
    }
  } else {
    int at = me - B;
    for (int i = 0; i < B; i++) {
      float s = c[at][i];
      for (int j = 0; j < i; j++) s = fmaf(-c[at][j], d[j][i], s);
      c[at][i] = s / d[i][i];
    }
  }
  __syncthreads();
  for (int i = me; i < B * B; i += 32) {
    rows[base + i] = r[i / B][i % B];
    columns[base + i] = c[i / B][i % B];
  }
}
