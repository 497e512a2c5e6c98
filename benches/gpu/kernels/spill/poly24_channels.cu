// Linearisation of detector channels: each thread keeps its channel's 24 coefficients and runs them over all samples.
//@ launch grid=264 block=1024
//@ arg coef in f32[24*threads] range(-0.5,0.5,1)
//@ arg gain in f32[threads] range(0.7,1,2)
//@ arg samples in f32[count] range(-1,1,3)
//@ arg stats out f32[4*threads]
//@ arg count i32 2000
//@ small grid=1 count=24

#define NC 24

extern "C" __global__ __launch_bounds__(1024, 2)
void poly24_channels_plain(const float *__restrict__ coef, const float *__restrict__ gain,
                           const float *__restrict__ samples, float *__restrict__ stats, int count) {
  int channel = blockIdx.x * blockDim.x + threadIdx.x;
  int channels = gridDim.x * blockDim.x;
  float c[NC];
  for (int k = 0; k < NC; k++) c[k] = coef[k * channels + channel];
  float g = gain[channel];
  float sum = 0, squares = 0, low = 1e30f, high = -1e30f;
  for (int i = 0; i + 1 < count; i += 2) {
    float x0 = samples[i] * g, x1 = samples[i + 1] * g;
    float p0 = c[NC - 1], p1 = c[NC - 1];
    for (int k = NC - 2; k >= 0; k--) {
      p0 = p0 * x0 + c[k];
      p1 = p1 * x1 + c[k];
    }
    sum += p0 + p1;
    squares += p0 * p0 + p1 * p1;
    low = fminf(low, fminf(p0, p1));
    high = fmaxf(high, fmaxf(p0, p1));
  }
  stats[channel] = sum;
  stats[channels + channel] = squares;
  stats[2 * channels + channel] = low;
  stats[3 * channels + channel] = high;
}
