// A linear system of six unknowns per thread, eliminated with the largest pivot of the column: rows are swapped by
// index, so the matrix cannot stay in registers.
//@ launch grid=1056 block=64
//@ arg a in f32[36*threads] range(-1,1,1)
//@ arg b in f32[6*threads] range(-1,1,2)
//@ arg x out f32[6*threads]
//@ small grid=3

constexpr int N = 6;

extern "C" __global__ __launch_bounds__(64)
void solver6_plain(const float *a, const float *b, float *x) {
  float m[N][N + 1];
  int t = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) m[i][j] = a[(i * N + j) * all + t] + (i == j ? 2.0f : 0.0f);
    m[i][N] = b[i * all + t];
  }
  for (int k = 0; k < N; k++) {
    int p = k;
    for (int i = k + 1; i < N; i++)
      if (fabsf(m[i][k]) > fabsf(m[p][k])) p = i;
    for (int j = k; j <= N; j++) {
      float s = m[k][j];
      m[k][j] = m[p][j];
      m[p][j] = s;
    }
    for (int i = k + 1; i < N; i++) {
      float f = -m[i][k] / m[k][k];
      for (int j = k; j <= N; j++) m[i][j] = fmaf(f, m[k][j], m[i][j]);
    }
  }
  for (int i = N - 1; i >= 0; i--) {
    float s = m[i][N];
    for (int j = i + 1; j < N; j++) s = fmaf(-m[i][j], m[j][N], s);
    m[i][N] = s / m[i][i];
    x[i * all + t] = m[i][N];
  }
}

extern "C" __global__ __launch_bounds__(64)
void solver6_by_hand(const float *a, const float *b, float *x) {
  __shared__ float m[N][N + 1][64];
  int t = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x, me = threadIdx.x;
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) m[i][j][me] = a[(i * N + j) * all + t] + (i == j ? 2.0f : 0.0f);
    m[i][N][me] = b[i * all + t];
  }
  for (int k = 0; k < N; k++) {
    int p = k;
    for (int i = k + 1; i < N; i++)
      if (fabsf(m[i][k][me]) > fabsf(m[p][k][me])) p = i;
    for (int j = k; j <= N; j++) {
      float s = m[k][j][me];
      m[k][j][me] = m[p][j][me];
      m[p][j][me] = s;
    }
    for (int i = k + 1; i < N; i++) {
      float f = -m[i][k][me] / m[k][k][me];
      for (int j = k; j <= N; j++) m[i][j][me] = fmaf(f, m[k][j][me], m[i][j][me]);
    }
  }
  for (int i = N - 1; i >= 0; i--) {
    float s = m[i][N][me];
    for (int j = i + 1; j < N; j++) s = fmaf(-m[i][j][me], m[j][N][me], s);
    m[i][N][me] = s / m[i][i][me];
    x[i * all + t] = m[i][N][me];
  }
}
