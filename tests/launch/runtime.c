// A CUDA runtime and driver without a GPU: looks kernels and tables up in what the program's command line has set,
// prints every launch, and fails where it is told to. src/launch/launch.c is tested with it; see program.c.

#include "runtime.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Fake fake = {.context = 1, .limit = 49152, .prints = 1};

enum { INVALID_VALUE = 1, NOT_FOUND = 500, OPT_IN = 232448, PER_SM = 233472, RESERVED = 1024 };

// --- The runtime ----------------------------------------------------------------------------------------------------

static _Thread_local int last_error;
// Kernels that translation units have registered. Versions are handed out by their names, whose limits of dynamic
// shared memory are set one by one.
enum { MOST = 6, KERNELS = 2 };
static struct Kernel {
  const void *stub;
  const char *name;
  char versions[MOST][64];
  int limits[MOST];
} kernels[KERNELS];
static int registered;

static struct Kernel *kernel_of(const void *stub_or_name) {
  for (int i = 0; i < registered; i++)
    if (kernels[i].stub == stub_or_name || kernels[i].name == stub_or_name)
      return &kernels[i];
  return 0;
}

static int fails(const char *name) { return fake.failing && !strcmp(fake.failing, name); }
static int fail(int status) { return last_error = status; }

int __cudaRegisterFunction(void **handle, const char *stub, char *function, const char *name, int limit, void *a,
                           void *b, void *c, void *d, int *e) {
  if (registered == KERNELS)
    abort();
  struct Kernel *kernel = &kernels[registered++];
  kernel->stub = stub;
  kernel->name = name;
  for (int i = 0; i < MOST; i++)
    kernel->limits[i] = 49152;
  return 0;
}

int cudaPeekAtLastError(void) { return last_error; }
int cudaGetLastError(void) {
  int status = last_error;
  last_error = 0;
  return status;
}

int cudaGetFuncBySymbol(void **function, const void *symbol) {
  __atomic_fetch_add(&fake.look_ups, 1, __ATOMIC_RELAXED);
  struct Kernel *kernel = kernel_of(symbol);
  if (fails("cudaGetFuncBySymbol") || !kernel)
    return fail(98);
  *function = (void *)kernel->name;
  return 0;
}

static void print(const char *how, const char *what, Dim3 grid, Dim3 block, size_t dynamic, void *stream) {
  if (fake.prints)
    printf("%s %s grid %ux%ux%u block %ux%ux%u dynamic %zu stream %zu\n", how, what, grid.x, grid.y, grid.z, block.x,
           block.y, block.z, dynamic, (size_t)stream);
}

static int launch_kernel(const char *how, const void *stub, Dim3 grid, Dim3 block, size_t dynamic, void *stream) {
  struct Kernel *kernel = kernel_of(stub);
  if (!kernel)
    return fail(98);
  __atomic_fetch_add(&fake.of_kernel, 1, __ATOMIC_RELAXED);
  print(how, kernel->name, grid, block, dynamic, stream);
  if (dynamic > (size_t)fake.limit || (uint64_t)block.x * block.y * block.z > 1024 || fake.refuses_kernel)
    return fail(INVALID_VALUE);
  return 0;
}

int cudaLaunchKernel(const void *stub, Dim3 grid, Dim3 block, void **arguments, size_t dynamic, void *stream) {
  return launch_kernel("cudaLaunchKernel", stub, grid, block, dynamic, stream);
}

int cudaLaunchKernel_ptsz(const void *stub, Dim3 grid, Dim3 block, void **arguments, size_t dynamic, void *stream) {
  return launch_kernel("cudaLaunchKernel_ptsz", stub, grid, block, dynamic, stream);
}

int cudaLaunchCooperativeKernel(const void *stub, Dim3 grid, Dim3 block, void **arguments, size_t dynamic,
                                void *stream) {
  return launch_kernel("cudaLaunchCooperativeKernel", stub, grid, block, dynamic, stream);
}

int cudaLaunchKernelExC(const LaunchConfig *config, const void *stub, void **arguments) {
  return launch_kernel("cudaLaunchKernelExC", stub, config->grid, config->block, config->dynamic, config->stream);
}

int cudaFuncSetAttribute(const void *stub, int attribute, int value) {
  struct Kernel *kernel = kernel_of(stub);
  if (!kernel || attribute != 8)
    return fail(98);
  printf("cudaFuncSetAttribute %s %d\n", kernel->name, value);
  fake.limit = value;
  return 0;
}

int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *stub, int threads, size_t dynamic) {
  struct Kernel *kernel = kernel_of(stub);
  if (!kernel)
    return fail(98);
  *blocks = 2048 / threads;
  printf("cudaOccupancy of %s\n", kernel->name);
  return 0;
}

// --- The driver -----------------------------------------------------------------------------------------------------

// Functions are handed out by their names: the kernel's is the string with which it was registered.

static int version_of(void *function) {
  for (int i = 0; i < registered; i++)
    for (int j = 0; j < MOST; j++)
      if (function == kernels[i].versions[j])
        return j;
  return -1;
}

static int *limit_of(void *function) {
  for (int i = 0; i < registered; i++)
    for (int j = 0; j < MOST; j++)
      if (function == kernels[i].versions[j])
        return &kernels[i].limits[j];
  return &fake.limit;
}

static int get_context(void *context, unsigned long long *id) {
  *id = fake.context;
  return fake.context ? 0 : 201;
}

static int is_capturing(void *stream, int *status) {
  *status = fake.is_capturing;
  return 0;
}

static int get_module(void **module, void *function) {
  *module = function;
  return 0;
}

static int get_global(unsigned long long *address, size_t *bytes, void *module, const char *name) {
  char expected[64];
  snprintf(expected, sizeof expected, "%s$%s", (const char *)module, fake.is_tuning ? "tuning" : "versions");
  if (strcmp(name, expected) || !fake.has_table)
    return NOT_FOUND;
  *address = (unsigned long long)(uintptr_t)fake.table;
  *bytes = 8 * fake.words;
  return 0;
}

static int get_function(void **function, void *module, const char *name) {
  struct Kernel *kernel = kernel_of(module);
  for (int i = 0; i < MOST; i++) {
    char *version = kernel->versions[i];
    snprintf(version, sizeof *kernel->versions, "%s$%c%d", kernel->name, fake.is_tuning ? 't' : 'v', i + 1);
    if (!strcmp(name, version) && (uint64_t)i < (fake.is_tuning ? fake.table[2] : 1) && !fake.lacks_functions) {
      *function = version;
      return 0;
    }
  }
  return NOT_FOUND;
}

static int create_stream(void **stream, unsigned flags) {
  *stream = &fake;
  return flags == 1 ? 0 : INVALID_VALUE; // CU_STREAM_NON_BLOCKING
}

static int copy(void *to, unsigned long long from, size_t bytes, void *stream) {
  if (stream != &fake || !fake.is_relaxed)
    return INVALID_VALUE;
  memcpy(to, (void *)(uintptr_t)from, bytes);
  return 0;
}

static int exchange_mode(int *mode) {
  int old = fake.is_relaxed ? 2 : 0;
  fake.is_relaxed = *mode == 2;
  *mode = old;
  return 0;
}

static int get_attribute(int *value, int attribute, void *function) {
  int version = version_of(function);
  if (attribute == 8)
    *value = *limit_of(function);
  else
    *value = attribute == 11 && version < 0 ? fake.cluster : 0;
  return 0;
}

static int set_attribute(void *function, int attribute, int value) {
  int version = version_of(function);
  if (version < 0 || (attribute == 9 ? value > 100 : attribute != 8 || value > OPT_IN))
    return INVALID_VALUE;
  if (attribute == 9) {
    printf("carveout of %s is %d\n", (char *)function, value);
    return 0;
  }
  printf("limit of %s is %d\n", (char *)function, value);
  *limit_of(function) = value;
  return 0;
}

// As many blocks as fit into the shared memory and the threads of a multiprocessor of an H100.
static int occupancy(int *blocks, void *function, int threads, size_t dynamic) {
  if (threads > 1024 || dynamic > OPT_IN)
    return INVALID_VALUE;
  int by_memory = PER_SM / (int)(dynamic + RESERVED), by_threads = 2048 / ((threads + 31) / 32 * 32);
  *blocks = by_memory < by_threads ? by_memory : by_threads;
  if (*blocks > 32)
    *blocks = 32;
  if (version_of(function) >= 0 && fake.blocks >= 0)
    *blocks = fake.blocks;
  return 0;
}

// The GPU's clock in microseconds. It runs one kernel after the other.
static double now;
static unsigned long long seed = 1;

static void run(int number) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  int noise = fake.noise ? (int)((seed >> 33) % (2 * (unsigned)fake.noise + 1)) - fake.noise : 0;
  now += fake.times[number] + noise + fake.wave * ((fake.of_version + fake.of_kernel) / 60 % 3);
}

static int launch(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                  unsigned dynamic, void *stream, void **arguments, void **extra) {
  int version = version_of(function);
  if (version < 0 && !(fake.is_tuning && kernel_of(function)))
    return INVALID_VALUE;
  if (dynamic > (unsigned)*limit_of(function) || extra || fails("cuLaunchKernel"))
    return INVALID_VALUE;
  run(version + 1);
  __atomic_fetch_add(&fake.of_version, 1, __ATOMIC_RELAXED);
  print("cuLaunchKernel", function, (Dim3){gx, gy, gz}, (Dim3){bx, by, bz}, dynamic, stream);
  return 0;
}

static int get_device(int *device) {
  *device = 3;
  return 0;
}

static int get_device_attribute(int *value, int attribute, int device) {
  *value = device != 3        ? 0
           : attribute == 16  ? 132
           : attribute == 75  ? 9
           : attribute == 81  ? PER_SM
           : attribute == 111 ? RESERVED
                              : 0; // those of an H100
  return 0;
}

static int create_event(void **event, unsigned flags) {
  *event = calloc(1, sizeof(double));
  return flags ? INVALID_VALUE : 0;
}

static int record_event(double *event, void *stream) {
  if (fails("cuEventRecord"))
    return INVALID_VALUE;
  *event = now;
  fake.awaited++;
  return 0;
}

// Asking is an error while another thread captures, unless this one has said that it does not matter.
static int query_event(double *event) {
  return fails("cuEventQuery") || !fake.is_relaxed ? INVALID_VALUE : fake.is_late ? 600 : 0;
}

static int elapsed_time(float *milliseconds, double *begin, double *end) {
  *milliseconds = (float)((*end - *begin) / 1000);
  return fails("cuEventElapsedTime") ? INVALID_VALUE : 0;
}

static int nothing(void *handle) { return 0; }

static const struct {
  const char *name;
  void *function;
} functions[] = {
    {"cuCtxGetId", get_context},
    {"cuStreamIsCapturing", is_capturing},
    {"cuLaunchKernel", launch},
    {"cuThreadExchangeStreamCaptureMode", exchange_mode},
    {"cuFuncGetModule", get_module},
    {"cuModuleGetGlobal", get_global},
    {"cuModuleGetFunction", get_function},
    {"cuStreamCreate", create_stream},
    {"cuMemcpyDtoHAsync", copy},
    {"cuStreamSynchronize", nothing},
    {"cuStreamDestroy", nothing},
    {"cuFuncGetAttribute", get_attribute},
    {"cuFuncSetAttribute", set_attribute},
    {"cuOccupancyMaxActiveBlocksPerMultiprocessor", occupancy},
    {"cuCtxGetDevice", get_device},
    {"cuDeviceGetAttribute", get_device_attribute},
    {"cuEventCreate", create_event},
    {"cuEventRecord", record_event},
    {"cuEventQuery", query_event},
    {"cuEventElapsedTime", elapsed_time},
};

int cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version, unsigned long long flags,
                                     int *result) {
  *result = 1;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (!strcmp(name, functions[i].name) && !(fake.missing && !strcmp(name, fake.missing))) {
      *function = functions[i].function;
      *result = 0;
    }
  return 0;
}
