// Elements of sixteen bytes: each thread keeps eight colours, blends into one and reads another.
//@ launch grid=1056 block=128
//@ arg pick in u32[65536] range(0,1<<32,1)
//@ arg in in f32[65536] range(-1,1,2)
//@ arg out out f32[threads]
//@ arg rounds i32 400
//@ small grid=2 rounds=20

extern "C" __global__ __launch_bounds__(128)
void float4_array_plain(const unsigned *pick, const float *in, float *out, int rounds) {
  float4 colour[8];
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < 8; i++)
    colour[i] = make_float4(in[(t + i) & 65535], in[(t + i + 9) & 65535], in[(t + i + 18) & 65535], (float)i);
  for (int i = 0; i < rounds; i++) {
    unsigned r = pick[(t * 5 + i) & 65535];
    float4 a = colour[r & 7], b = colour[r >> 3 & 7];
    a.x = fmaf(a.x, 0.5f, b.y);
    a.y = fmaf(a.y, 0.5f, b.z);
    a.z = fmaf(a.z, 0.5f, b.x);
    a.w = a.w + 1.0f;
    colour[r >> 6 & 7] = a;
  }
  float s = 0;
  for (int i = 0; i < 8; i++) s = fmaf(s, 0.5f, colour[i].x + colour[i].y + colour[i].z + colour[i].w);
  out[t] = s;
}
