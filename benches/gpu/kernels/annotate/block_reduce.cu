// Sums over blocks in two stages: the second one belongs to the first warp.
//@ launch grid=1056 block=256
//@ arg in in u32[n] range(0,1000,1)
//@ arg out out u32[blocks]
//@ arg n i32 1<<24
//@ small grid=2 n=4096
//@ also map

extern "C" __global__ __launch_bounds__(256)
void block_reduce_plain(const unsigned *in, unsigned *out, int n) {
  __shared__ unsigned part[8];
  unsigned s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += in[i];
  for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(0xffffffffu, s, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x / 32 == 0) {
    s = threadIdx.x < 8 ? part[threadIdx.x] : 0;
    for (int d = 4; d > 0; d /= 2) s += __shfl_down_sync(0xffffffffu, s, d);
    if (threadIdx.x == 0) out[blockIdx.x] = s;
  }
}
