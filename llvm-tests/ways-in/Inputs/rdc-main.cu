// One half of a program of two translation units: the kernel.
__device__ float weight(int i);

__global__ void scale(float *values, int n) {
  int i = threadIdx.x;
  if (i < n)
    values[i] *= weight(i);
}

int main() {
  scale<<<1, 32>>>(nullptr, 0);
  return 0;
}
