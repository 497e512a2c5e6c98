// While loops whose bounds are loaded from places that all threads of a warp share.
//@ launch grid=1056 block=32,8
//@ arg first in i32[8448] prefix(0,8,1)
//@ arg item in f32[65536] range(-1,1,2)
//@ arg out out f32[threads]
//@ arg rounds i32 24
//@ small grid=2 rounds=3
//@ also map

extern "C" __global__ __launch_bounds__(256)
void uniform_while_plain(const int *first, const float *item, float *out, int rounds) {
  int job = blockIdx.x * 8 + threadIdx.y, lane = threadIdx.x;
  float s = 0.0f;
  for (int r = 0; r < rounds; r++) {
    int j = (job + r * 37) % 8447, i = first[j], end = first[j + 1];
    while (i < end) {
      float v = item[(i * 32 + lane) & 65535];
      if ((i & 3) == 0) s = fmaf(s, 0.5f, v);
      else s = fmaf(v, 0.25f, s);
      i++;
    }
  }
  out[job * 32 + lane] = s;
}
