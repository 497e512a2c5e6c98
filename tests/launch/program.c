// Launches a kernel `k(p, n, m, c)` through launch stubs like those that clang makes of CUDA sources, as its command
// line says; tests/launch.rs compares what it prints. The commands, in order:
//   version BYTES ALIGN KEEP    writes the table of a version
//   tuning HASH                 begins a table of alternatives instead
//   alternative NAME BYTES ALIGN KEEP  adds one of them             time N US          how long it takes; 0: the kernel
//   often N                     launches as often                   awaited            prints how many events there are
//   word N VALUE                overwrites a word of the table       words N           sets its length
//   grid X Y Z, block X Y Z, own BYTES, stream N, p N, n N, m N, c N sets what is launched next
//   launch, launch_ptsz         launches                             threads N         launches from N threads
//   pointer                     launches through a function pointer  other             launches the kernel of unit.c
//   cooperative, ex, itself     has the program call the runtime's function for it
//   limit N, occupancy          the same for attributes and occupancy of the kernel
//   set NAME VALUE              sets a member of `fake`              error             prints the last error

#include "runtime.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
int cudaLaunchKernel(const void *, Dim3, Dim3, void **, size_t, void *);
int cudaLaunchKernel_ptsz(const void *, Dim3, Dim3, void **, size_t, void *);
int cudaLaunchCooperativeKernel(const void *, Dim3, Dim3, void **, size_t, void *);
int cudaLaunchKernelExC(const LaunchConfig *, const void *, void **);
int cudaFuncSetAttribute(const void *, int, int);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int, size_t);
int cudaPeekAtLastError(void);
int cudaGetLastError(void);

static Dim3 grid = {1, 1, 1}, block = {32, 1, 1};
static size_t own;
static void *stream;

#ifdef PER_THREAD
#define cudaLaunchKernel cudaLaunchKernel_ptsz
#endif

__attribute__((noinline)) static void __device_stub__k(void *p, int n, long long m, unsigned char c) {
  void *arguments[] = {&p, &n, &m, &c};
  cudaLaunchKernel((const void *)__device_stub__k, grid, block, arguments, own, stream);
}

__attribute__((constructor)) static void register_kernels(void) {
  __cudaRegisterFunction(0, (const char *)__device_stub__k, "k", "k", -1, 0, 0, 0, 0, 0);
}

static void *pointer;
static int n;
static long long m;
static unsigned char c;

// unit.c, if the program is linked with it
__attribute__((weak)) void launch_other(Dim3 grid, Dim3 block, void *p, int n);

static void call_runtime(const char *word) {
  void *arguments[] = {&pointer, &n, &m, &c};
  const void *stub = (const void *)__device_stub__k;
  if (!strcmp(word, "cooperative"))
    cudaLaunchCooperativeKernel(stub, grid, block, arguments, own, stream);
  else if (!strcmp(word, "ex"))
    cudaLaunchKernelExC(&(LaunchConfig){grid, block, own, stream}, stub, arguments);
  else if (!strcmp(word, "itself"))
    cudaLaunchKernel(stub, grid, block, arguments, own, stream);
  else {
    int blocks;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, stub, block.x, own);
  }
}

static void *launch_often(void *unused) {
  for (int i = 0; i < 1000; i++)
    __device_stub__k(pointer, n, m, c);
  return 0;
}

static void launch_from_threads(int count) {
  pthread_t threads[64];
  for (int i = 0; i < count; i++)
    pthread_create(&threads[i], 0, launch_often, 0);
  for (int i = 0; i < count; i++)
    pthread_join(threads[i], 0);
  // a thread that comes while another looks the kernel up launches the kernel itself
  printf("%d launches, %d look-ups\n", fake.of_kernel + fake.of_version, fake.look_ups);
  if (fake.of_version < 1000)
    printf("only %d launches of the version\n", fake.of_version);
}

static void set(const char *name, const char *value) {
  const struct {
    const char *name;
    int *number;
  } numbers[] = {{"capturing", &fake.is_capturing},
                 {"limit", &fake.limit},
                 {"cluster", &fake.cluster},
                 {"blocks", &fake.blocks},
                 {"prints", &fake.prints},
                 {"refuses", &fake.refuses_kernel},
                 {"lacks", &fake.lacks_functions},
                 {"table", &fake.has_table},
                 {"noise", &fake.noise},
                 {"wave", &fake.wave},
                 {"late", &fake.is_late}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (!strcmp(name, numbers[i].name))
      *numbers[i].number = atoi(value);
  if (!strcmp(name, "context"))
    fake.context = strtoull(value, 0, 0);
  if (!strcmp(name, "missing"))
    fake.missing = value;
  if (!strcmp(name, "failing"))
    fake.failing = value;
}

static Dim3 shape(char **words) {
  return (Dim3){strtoul(words[0], 0, 0), strtoul(words[1], 0, 0), strtoul(words[2], 0, 0)};
}

static uint64_t number(const char *word) { return *word == '-' ? (uint64_t)strtoll(word, 0, 0) : strtoull(word, 0, 0); }

int main(int argc, char **argv) {
  fake.blocks = -1;
  fake.table[0] = 0x3230534549575257;
  fake.words = 1;
  for (char **at = argv + 1; at < argv + argc;) {
    const char *word = *at++;
    if (!strcmp(word, "version")) {
      fake.has_table = 1;
      for (int i = 0; i < 3; i++)
        fake.table[fake.words++] = number(*at++);
    } else if (!strcmp(word, "tuning")) {
      fake.has_table = fake.is_tuning = 1;
      fake.table[0] = 0x3230454e55545757;
      fake.table[1] = number(*at++);
      fake.words = 3;
    } else if (!strcmp(word, "alternative")) {
      fake.table[2]++;
      strncpy((char *)(fake.table + fake.words), *at++, 16);
      fake.words += 2;
      for (int i = 0; i < 3; i++)
        fake.table[fake.words++] = number(*at++);
    } else if (!strcmp(word, "time"))
      fake.times[number(at[0])] = (int)number(at[1]), at += 2;
    else if (!strcmp(word, "often"))
      for (uint64_t left = number(*at++); left; left--)
        __device_stub__k(pointer, n, m, c);
    else if (!strcmp(word, "awaited"))
      printf("%d events\n", fake.awaited);
    else if (!strcmp(word, "word")) {
      fake.table[number(at[0])] = number(at[1]);
      at += 2;
    } else if (!strcmp(word, "words"))
      fake.words = number(*at++);
    else if (!strcmp(word, "grid"))
      grid = shape(at), at += 3;
    else if (!strcmp(word, "block"))
      block = shape(at), at += 3;
    else if (!strcmp(word, "own"))
      own = number(*at++);
    else if (!strcmp(word, "stream"))
      stream = (void *)(uintptr_t)number(*at++);
    else if (!strcmp(word, "set"))
      set(at[0], at[1]), at += 2;
    else if (!strcmp(word, "launch"))
      __device_stub__k(pointer, n, m, c);
    else if (!strcmp(word, "pointer")) {
      void (*volatile kernel)(void *, int, long long, unsigned char) = __device_stub__k;
      kernel(pointer, n, m, c);
    } else if (!strcmp(word, "other"))
      launch_other(grid, block, pointer, n);
    else if (!strcmp(word, "limit"))
      cudaFuncSetAttribute((const void *)__device_stub__k, 8, (int)number(*at++));
    else if (!strcmp(word, "cooperative") || !strcmp(word, "ex") || !strcmp(word, "itself") ||
             !strcmp(word, "occupancy"))
      call_runtime(word);
    else if (!strcmp(word, "threads"))
      launch_from_threads((int)number(*at++));
    else if (!strcmp(word, "error"))
      printf("error %d\n", cudaPeekAtLastError()), cudaGetLastError();
    else if (!strcmp(word, "fail"))
      fake.refuses_kernel = 1;
    else
      return printf("unknown command %s\n", word), 1;
  }
  return 0;
}
