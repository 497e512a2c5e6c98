// Specialised warps: the first one of a block fetches the next tile while the other seven work on the current one.
//@ launch grid=1056 block=256
//@ arg in in f32[224*(tiles+8)] range(-1,1,1)
//@ arg out out f32[224*blocks] 
//@ arg tiles i32 128
//@ small grid=2 tiles=4
//@ also map

extern "C" __global__ __launch_bounds__(256)
void producer_consumer_plain(const float *in, float *out, int tiles) {
  __shared__ float tile[2][224];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32, mine = threadIdx.x - 32;
  float s = 0.0f;
  for (int i = 0; i <= tiles; i++) {
    if (warp == 0) {
      if (i < tiles)
        for (int j = lane; j < 224; j += 32) tile[i & 1][j] = in[(i + (blockIdx.x & 7)) * 224 + j];
    } else if (i > 0) {
      const float *t = tile[(i - 1) & 1];
      for (int j = 0; j < 16; j++) s = fmaf(s, 0.5f, t[(mine + j * 13) % 224]);
    }
    __syncthreads();
  }
  if (warp != 0) out[blockIdx.x * 224 + mine] = s;
}
