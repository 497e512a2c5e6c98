// One k-means step for a palette of eight colours: sums and counts of the pixels nearest to each, per thread.
//@ launch grid=528 block=192
//@ arg pixels in u32[n] range(0,1<<32,1)
//@ arg palette in f32[24] range(0,256,2)
//@ arg sums out u32[threads*32]
//@ arg n i32 8388608
//@ small grid=2 n=5000

struct Sum {
  unsigned r, g, b, count;
};

extern "C" __global__ __launch_bounds__(192)
void kmeans_palette_plain(const unsigned *__restrict__ pixels, const float *__restrict__ palette,
                          Sum *__restrict__ sums, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  Sum local[8];
  for (int k = 0; k < 8; k++) local[k].r = local[k].g = local[k].b = local[k].count = 0;
  for (int i = t; i < n; i += threads) {
    unsigned pixel = pixels[i], r = pixel & 255, g = pixel >> 8 & 255, b = pixel >> 16 & 255;
    float nearest = 1e30f;
    int best = 0;
    for (int k = 0; k < 8; k++) {
      float dr = r - palette[k * 3], dg = g - palette[k * 3 + 1], db = b - palette[k * 3 + 2];
      float distance = 2 * dr * dr + 4 * dg * dg + 3 * db * db;
      if (distance < nearest) {
        nearest = distance;
        best = k;
      }
    }
    local[best].r += r;
    local[best].g += g;
    local[best].b += b;
    local[best].count++;
  }
  for (int k = 0; k < 8; k++) sums[k * threads + t] = local[k];
}
