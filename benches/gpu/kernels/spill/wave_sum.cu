// Sines and cosines of small angles: the array that reduces large ones is there, but never used.
//@ launch grid=1056 block=256
//@ arg k in f32[4096] range(-1,1,1)
//@ arg x in f32[threads] range(-1,1,2)
//@ arg out out f32[threads]
//@ arg waves i32 400
//@ small grid=2 waves=8

extern "C" __global__ void wave_sum_plain(const float *k, const float *x, float *out, int waves) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float re = 0, im = 0, at = x[t];
  for (int i = 0; i < waves; i++) {
    float angle = 6.2831853f * (k[i & 4095] * at + 0.25f), weight = k[(i * 7) & 4095];
    float c = cosf(angle), s = sinf(angle);
    re += weight * c - at * s;
    im += weight * s + at * c;
  }
  out[t] = re + im;
}
