/* A driver without a GPU: as much of libcuda as the runner calls.
 *
 * A "cubin" is text that says what its kernel does. Every kernel writes to its first parameter, a buffer of floats,
 * as many as its second parameter says: "good" 1.0, "near" a little more, "wrong" 2.0 in element 3; "crash" ends the
 * process, "hang" never comes back, "fault" makes every later call fail, "refuse" cannot be launched. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int lost;

int cuInit(unsigned flags) { return 0; }
int cuDriverGetVersion(int *v) { *v = 13000; return 0; }
int cuDeviceGet(int *d, int i) { *d = i; return 0; }
int cuDeviceGetName(char *name, int n, int d) { strncpy(name, "Fake 1", n); return 0; }
int cuDeviceGetAttribute(int *v, int which, int d) { *v = which == 75 ? 9 : which == 76 ? 0 : 4; return 0; }
int cuDevicePrimaryCtxRetain(void **c, int d) { *c = &lost; return 0; }
int cuCtxSetCurrent(void *c) { return 0; }
int cuCtxSetLimit(int limit, size_t value) { return lost; }
int cuCtxSynchronize(void) { return lost; }
int cuModuleLoadData(void **m, const void *image) { *m = strdup(image); return lost; }
int cuModuleUnload(void *m) { free(m); return lost; }
int cuModuleGetFunction(void **f, void *m, const char *name) { *f = m; return strcmp(name, "k_plain") ? 500 : 0; }
int cuModuleGetGlobal_v2(uint64_t *p, size_t *n, void *m, const char *name) { return 500; }
int cuFuncGetAttribute(int *v, int which, void *f) { *v = 0; return 0; }
int cuFuncSetAttribute(void *f, int which, int v) { return 0; }
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *v, void *f, int threads, size_t shared) { *v = 8; return 0; }
int cuMemAlloc_v2(uint64_t *p, size_t n) { *p = (uint64_t)malloc(n); return lost; }
int cuMemFree_v2(uint64_t p) { free((void *)p); return lost; }
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t n) { memcpy((void *)to, from, n); return lost; }
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t n) { memcpy(to, (void *)from, n); return lost; }
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t n, void *s) { memcpy((void *)to, (void *)from, n); return lost; }
int cuMemsetD8Async(uint64_t p, unsigned char byte, size_t n, void *s) { memset((void *)p, byte, n); return lost; }
int cuEventCreate(void **e, unsigned flags) { *e = &lost; return 0; }
int cuEventRecord(void *e, void *s) { return lost; }
int cuEventSynchronize(void *e) { return lost; }
int cuEventElapsedTime(float *ms, void *a, void *b) { *ms = 0.5f; return lost; }
int cuGetErrorName(int code, const char **text) { *text = "CUDA_ERROR_FAKE"; return 0; }
int cuGetErrorString(int code, const char **text) { *text = "as the test wants it"; return 0; }

int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **params, void **extra) {
  float *out = *(float **)params[0];
  int n = *(int *)params[1];
  for (int i = 0; i < n; i++) out[i] = strstr(f, "near") ? 1.0001f : 1.0f;
  if (strstr(f, "wrong")) out[3] = 2.0f;
  if (strstr(f, "crash")) _exit(9);
  if (strstr(f, "fault")) lost = 700;
  if (strstr(f, "refuse")) return 701;
  while (strstr(f, "hang")) pause();
  return lost;
}
