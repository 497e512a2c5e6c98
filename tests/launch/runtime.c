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
static const char *registered_name;
static const void *registered_stub;

static int fails(const char *name) { return fake.failing && !strcmp(fake.failing, name); }
static int fail(int status) { return last_error = status; }

int __cudaRegisterFunction(void **handle, const char *stub, char *function, const char *name, int limit, void *a,
                           void *b, void *c, void *d, int *e) {
  registered_stub = stub;
  registered_name = name;
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
  if (fails("cudaGetFuncBySymbol") || symbol != registered_stub)
    return fail(98);
  *function = (void *)registered_name;
  return 0;
}

static void print(const char *how, const char *what, Dim3 grid, Dim3 block, size_t dynamic, void *stream) {
  if (fake.prints)
    printf("%s %s grid %ux%ux%u block %ux%ux%u dynamic %zu stream %zu\n", how, what, grid.x, grid.y, grid.z, block.x,
           block.y, block.z, dynamic, (size_t)stream);
}

static int launch_kernel(const char *how, Dim3 grid, Dim3 block, size_t dynamic, void *stream) {
  __atomic_fetch_add(&fake.of_kernel, 1, __ATOMIC_RELAXED);
  print(how, registered_name, grid, block, dynamic, stream);
  if (dynamic > (size_t)fake.limit || (uint64_t)block.x * block.y * block.z > 1024 || fake.refuses_kernel)
    return fail(INVALID_VALUE);
  return 0;
}

int cudaLaunchKernel(const void *stub, Dim3 grid, Dim3 block, void **arguments, size_t dynamic, void *stream) {
  return launch_kernel("cudaLaunchKernel", grid, block, dynamic, stream);
}

int cudaLaunchKernel_ptsz(const void *stub, Dim3 grid, Dim3 block, void **arguments, size_t dynamic, void *stream) {
  return launch_kernel("cudaLaunchKernel_ptsz", grid, block, dynamic, stream);
}

// --- The driver -----------------------------------------------------------------------------------------------------

// Functions are handed out by their names: the kernel's is the string with which it was registered.
enum { MOST = 6 };
static char version_names[MOST][64];
static int version_limits[MOST] = {49152, 49152, 49152, 49152, 49152, 49152};

static int version_of(void *function) {
  for (int i = 0; i < MOST; i++)
    if (function == version_names[i])
      return i;
  return -1;
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
  snprintf(expected, sizeof expected, "%s$%s", registered_name, fake.is_tuning ? "tuning" : "versions");
  if (strcmp(name, expected) || !fake.has_table)
    return NOT_FOUND;
  *address = (unsigned long long)(uintptr_t)fake.table;
  *bytes = 8 * fake.words;
  return 0;
}

static int get_function(void **function, void *module, const char *name) {
  for (int i = 0; i < MOST; i++) {
    snprintf(version_names[i], sizeof *version_names, "%s$%c%d", registered_name, fake.is_tuning ? 't' : 'v', i + 1);
    if (!strcmp(name, version_names[i]) && (uint64_t)i < fake.table[fake.is_tuning ? 2 : 1] && !fake.lacks_functions) {
      *function = version_names[i];
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
    *value = version >= 0 ? version_limits[version] : fake.limit;
  else
    *value = attribute == 11 && version < 0 ? fake.cluster : 0;
  return 0;
}

static int set_attribute(void *function, int attribute, int value) {
  int version = version_of(function);
  if (attribute != 8 || version < 0 || value > OPT_IN)
    return INVALID_VALUE;
  printf("limit of %s is %d\n", (char *)function, value);
  version_limits[version] = value;
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
  if (version < 0 && !(fake.is_tuning && function == (void *)registered_name))
    return INVALID_VALUE;
  if (dynamic > (unsigned)(version < 0 ? fake.limit : version_limits[version]) || extra || fails("cuLaunchKernel"))
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
  *value = device != 3 ? 0 : attribute == 16 ? 132 : attribute == 75 ? 9 : 0; // those of an H100
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
