// A delay line of 32 samples of two bytes per thread, read at two taps that each thread chooses.
//@ launch grid=1056 block=256
//@ arg samples in i16[1<<20] range(-20000,20000,1)
//@ arg taps in i32[threads] range(0,1024,2)
//@ arg out out i32[threads]
//@ arg count i32 600
//@ small grid=2 count=40

extern "C" __global__ __launch_bounds__(256)
void short_ring_plain(const short *samples, const int *taps, int *out, int count) {
  short ring[32];
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int near = taps[t] & 31, far = taps[t] >> 5 & 31, sum = 0;
  for (int i = 0; i < 32; i++) ring[i] = 0;
  for (int i = 0; i < count; i++) {
    ring[i & 31] = (short)(samples[(t + i * 64) & 0xfffff] + (ring[(i + far) & 31] >> 1));
    sum += ring[(i + near) & 31] * 3 - (sum >> 4);
  }
  out[t] = sum;
}
