// Even and odd lanes store the same sum to different halves, after different factors.
//@ launch grid=2112 block=256
//@ arg in in f32[threads] range(-1,1,1)
//@ arg out out f32[threads]
//@ arg rounds i32 64
//@ small grid=2 rounds=4
//@ also map

extern "C" __global__ void even_odd_plain(const float *in, float *out, int rounds) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, half = gridDim.x * blockDim.x / 2;
  float x = in[t];
  for (int r = 0; r < rounds; r++) {
    if (t & 1) {
      x = fmaf(x, 0.5f, in[t ^ r]);
      out[half + t / 2] = x * 3.0f;
    } else {
      x = fmaf(x, 0.25f, in[t ^ r]);
      out[t / 2] = x * 5.0f;
    }
  }
}

extern "C" __global__ void even_odd_by_hand(const float *in, float *out, int rounds) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, half = gridDim.x * blockDim.x / 2;
  float x = in[t];
  bool odd = t & 1;
  for (int r = 0; r < rounds; r++) {
    x = fmaf(x, odd ? 0.5f : 0.25f, in[t ^ r]);
    out[(odd ? half : 0) + t / 2] = x * (odd ? 3.0f : 5.0f);
  }
}
