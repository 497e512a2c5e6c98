// Another translation unit of the program, with a kernel `j(p, n)` of its own. See program.c.

#include "runtime.h"

int __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
int cudaLaunchKernel(const void *, Dim3, Dim3, void **, size_t, void *);

__attribute__((noinline)) static void __device_stub__j(Dim3 grid, Dim3 block, void *p, int n) {
  void *arguments[] = {&p, &n};
  cudaLaunchKernel((const void *)__device_stub__j, grid, block, arguments, 0, 0);
}

__attribute__((constructor)) static void register_kernels(void) {
  __cudaRegisterFunction(0, (const char *)__device_stub__j, "j", "j", -1, 0, 0, 0, 0, 0);
}

void launch_other(Dim3 grid, Dim3 block, void *p, int n) { __device_stub__j(grid, block, p, n); }
