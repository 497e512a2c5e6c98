// Eighteen indices that follow from the thread's number, live through the loop.
//@ launch grid=1056 block=256
//@ arg in in i32[threads*2+65536] range(-100,100,1)
//@ arg out out i32[threads]
//@ arg width i32 1024
//@ arg iters i32 200
//@ small grid=2 iters=6
//@ regs 24

extern "C" __global__ void few_affine_plain(const int *in, int *out, int width, int iters) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, a[18], s = 0, h = 1;
#pragma unroll
  for (int j = 0; j < 18; j++) a[j] = t + j * width + (j * j ^ width / (j + 1));
#pragma unroll 1
  for (int it = 0; it < iters; it++)
#pragma unroll
    for (int j = 0; j < 18; j++) {
      s = s * 3 + (in[a[j] + (it & 15)] ^ h);
      h = h * 5 + a[j];
    }
  out[t] = s ^ h;
}
