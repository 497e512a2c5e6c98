// A loop in each side, with bounds that differ from lane to lane.
//@ launch grid=1056 block=256
//@ arg count in i32[threads] range(4,28,1)
//@ arg table in f32[4096] range(-1,1,2)
//@ arg out out f32[threads]
//@ arg rounds i32 16
//@ small grid=2 rounds=2
//@ also map

extern "C" __global__ void loops_in_arms_plain(const int *count, const float *table, float *out, int rounds) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, n = count[t];
  float s = 0.0f, p = 1.0f;
  for (int r = 0; r < rounds; r++) {
    if ((t + r) & 1) {
      for (int i = 0; i < n; i++) s = fmaf(s, 0.5f, table[(t + i) & 4095]);
    } else {
      for (int i = 2; i < n; i++) p = fmaf(p, 0.25f, table[(t - i) & 4095]);
    }
  }
  out[t] = s + p;
}

extern "C" __global__ void loops_in_arms_by_hand(const int *count, const float *table, float *out, int rounds) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, n = count[t];
  float s = 0.0f, p = 1.0f;
  for (int r = 0; r < rounds; r++) {
    bool c = (t + r) & 1;
    float v = c ? s : p, k = c ? 0.5f : 0.25f;
    int step = c ? 1 : -1;
    for (int i = c ? 0 : 2; i < n; i++) v = fmaf(v, k, table[(t + i * step) & 4095]);
    s = c ? v : s;
    p = c ? p : v;
  }
  out[t] = s + p;
}
