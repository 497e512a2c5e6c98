// A grid-stride loop with a test in it that a warp takes as one: each warp's 32 elements belong to one channel.
//@ launch grid=528 block=256
//@ arg in in f32[n] range(-1,1,1)
//@ arg gain in f32[64] range(0.5,1.5,2)
//@ arg out out f32[n]
//@ arg n i32 1<<24
//@ small grid=2 n=4096
//@ also map

extern "C" __global__ __launch_bounds__(256)
void grid_stride_plain(const float *in, const float *gain, float *out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float v = in[i], g = gain[i / 32 % 64];
    if (i / 32 % 4 == 0) v = fmaf(v, g, 0.5f);
    else if (g > 1.0f) v = v / g;
    else v = fmaf(v, v, g);
    out[i] = v;
  }
}
