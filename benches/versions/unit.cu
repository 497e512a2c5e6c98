// Another unit of the program in main.cu, with a kernel of its own and one that main.cu has, too.

static __global__ void local_kernel(const unsigned *in, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] += in[i] * 3;
}

__global__ void of_unit(const unsigned *in, unsigned *out, int n) {
  unsigned bins[20];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 20; k++)
    bins[k] = k;
  for (int k = 0; k < 100; k++)
    bins[in[i + k] % 20] += in[i + 2 * k] & 255;
  unsigned hash = 0;
  for (int k = 0; k < 20; k++)
    hash = hash * 31 + bins[k];
  if (i < n)
    out[i] = hash;
}

void launch_of_other_unit(int blocks, int threads, const unsigned *in, unsigned *out, int n, cudaStream_t stream) {
  of_unit<<<blocks, threads, 0, stream>>>(in, out, n);
  local_kernel<<<blocks, threads, 0, stream>>>(in, out, n);
}
