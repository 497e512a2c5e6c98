// One block sorts 1024 whole numbers; the two sides of the direction test hold a compare and a conditional swap.
//@ launch grid=2112 block=1024 shared=4096
//@ arg values inout i32[threads] range(-1000000,1000000,1)
//@ small grid=2
//@ also map

constexpr unsigned NUM = 1024;

extern "C" __global__ void bitonic_plain(int *values) {
  extern __shared__ int sh[];
  const unsigned tid = threadIdx.x;
  int *v = values + blockIdx.x * NUM;
  sh[tid] = v[tid];
  __syncthreads();
  for (unsigned k = 2; k <= NUM; k *= 2)
    for (unsigned j = k / 2; j > 0; j /= 2) {
      unsigned ixj = tid ^ j;
      if (ixj > tid) {
        if ((tid & k) == 0) { if (sh[tid] > sh[ixj]) { int s = sh[tid]; sh[tid] = sh[ixj]; sh[ixj] = s; } }
        else                { if (sh[tid] < sh[ixj]) { int s = sh[tid]; sh[tid] = sh[ixj]; sh[ixj] = s; } }
      }
      __syncthreads();
    }
  v[tid] = sh[tid];
}

extern "C" __global__ void bitonic_by_hand(int *values) {
  extern __shared__ int sh[];
  const unsigned tid = threadIdx.x;
  int *v = values + blockIdx.x * NUM;
  sh[tid] = v[tid];
  __syncthreads();
  for (unsigned k = 2; k <= NUM; k *= 2)
    for (unsigned j = k / 2; j > 0; j /= 2) {
      unsigned ixj = tid ^ j;
      if (ixj > tid) {
        int a = sh[tid], b = sh[ixj];
        bool up = (tid & k) == 0;
        if ((up ? a : b) > (up ? b : a)) { sh[tid] = b; sh[ixj] = a; }
      }
      __syncthreads();
    }
  v[tid] = sh[tid];
}
