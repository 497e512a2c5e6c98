// Figure 6.3 of Coutinho 2011: four variables that all threads rotate alike, and a division by what becomes of them. The
// work is in a loop and not in one block, so hoist-grid leaves it; by hand, the first thread of a block runs the loop.
//@ launch grid=528 block=256
//@ arg in in f32[width*8] range(0.5,1.5,1)
//@ arg out out f32[width]
//@ arg width i32 135168
//@ arg turns i32 8
//@ small grid=2 width=512

extern "C" __global__ void shared_externally_plain(const float *in, float *out, int width, int turns) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= width) return;
  float sum = 0, a = 2, b = 3, c = 5, d = 7;
  for (int k = 0; k < turns; k++) {
    float value = in[t + k * width];
    sum += value / (k + 1) - value / (k + 2);
    float first = a;
    a = b, b = c, c = d, d = first;
  }
  out[t] = sum / ((a - b) * (c - d));
}

extern "C" __global__ void shared_externally_by_hand(const float *in, float *out, int width, int turns) {
  __shared__ float alpha;
  if (threadIdx.x == 0) {
    float a = 2, b = 3, c = 5, d = 7;
    for (int k = 0; k < turns; k++) {
      float first = a;
      a = b, b = c, c = d, d = first;
    }
    alpha = (a - b) * (c - d);
  }
  __syncthreads();
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= width) return;
  float sum = 0;
  for (int k = 0; k < turns; k++) {
    float value = in[t + k * width];
    sum += value / (k + 1) - value / (k + 2);
  }
  out[t] = sum / alpha;
}
