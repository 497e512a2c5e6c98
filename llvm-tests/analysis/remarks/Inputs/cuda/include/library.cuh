// Stands for a header of CUDA: its path says so.
__device__ inline void put(float *p, int i) { p[8 * i] = 1; }
template <typename T> __global__ void of_library(T *p) { p[16 * threadIdx.x] = 1; }
