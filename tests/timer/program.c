/* A CUDA program for the tests: `program WHAT [VALUE]`. Built with -DLINKED it is linked against libcuda.so.1; without, it
 * looks the driver's functions up as the CUDA runtime does: dlopen, dlsym of cuGetProcAddress_v2, and that. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void *P;
typedef struct { unsigned grid[3], block[3], shared; P stream, attributes; unsigned count; } Config;
typedef struct { unsigned id, pad, value[16]; } Attribute;

#define FUNCTIONS(X) \
  X(cuInit, cuInit, (unsigned)) X(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (P *, int)) \
  X(cuCtxSetCurrent, cuCtxSetCurrent, (P)) X(cuCtxSynchronize, cuCtxSynchronize, (void)) \
  X(cuStreamCreate, cuStreamCreate, (P *, unsigned)) X(cuStreamSynchronize, cuStreamSynchronize, (P)) \
  X(cuStreamBeginCapture, cuStreamBeginCapture_v2, (P, int)) X(cuStreamEndCapture, cuStreamEndCapture, (P, P *)) \
  X(cuGraphInstantiate, cuGraphInstantiateWithFlags, (P *, P, unsigned long long)) X(cuGraphLaunch, cuGraphLaunch, (P, P)) \
  X(cuModuleLoadData, cuModuleLoadData, (P *, const void *)) X(cuModuleGetFunction, cuModuleGetFunction, (P *, P, const char *)) \
  X(cuLibraryLoadData, cuLibraryLoadData, (P *, const void *)) X(cuLibraryGetKernel, cuLibraryGetKernel, (P *, P, const char *)) \
  X(cuMemAlloc, cuMemAlloc_v2, (uint64_t *, size_t)) X(cuMemFree, cuMemFree_v2, (uint64_t)) \
  X(cuMemHostAlloc, cuMemHostAlloc, (P *, size_t, unsigned)) X(cuMemcpyDtoH, cuMemcpyDtoH_v2, (P, uint64_t, size_t)) \
  X(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, (P, uint64_t, size_t, P)) \
  X(cuLaunchKernel, cuLaunchKernel, (P, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, P, P *, P *)) \
  X(cuLaunchCooperativeKernel, cuLaunchCooperativeKernel, \
    (P, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, P, P *)) \
  X(cuLaunchKernelEx, cuLaunchKernelEx, (const Config *, P, P *, P *))

#ifdef LINKED
#define DECLARE(name, exported, types) extern int exported types; static int (*name##_) types = exported;
static void look_up(void) {}
#else
#define DECLARE(name, exported, types) static int (*name##_) types;
#endif
FUNCTIONS(DECLARE)
#ifndef LINKED
static void look_up(void) {
  P library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library) { fprintf(stderr, "no driver\n"); exit(3); }
  int (*first)(const char *, P *, int, uint64_t, int *) = dlsym(library, "cuGetProcAddress_v2");
  int (*get)(const char *, P *, int, uint64_t, int *) = NULL;
  first("cuGetProcAddress", (P *)&get, 12000, 0, NULL);
#define GET(name, exported, types) \
  if (get(#name, (P *)&name##_, 12040, 0, NULL) || !name##_) { fprintf(stderr, "no %s\n", #name); exit(3); }
  FUNCTIONS(GET)
}
#endif

static P context, module, library, stream[4];
static uint64_t buffer;
static int n = 1024;
static float value = 1;

static P function(const char *name) { P f; cuModuleGetFunction_(&f, module, name); return f; }
static void go(P f, P s, unsigned block) {
  P parameters[] = {&buffer, &n, &value};
  if (cuLaunchKernel_(f, 4, 1, 1, block, 1, 1, 0, s, parameters, NULL)) printf("launch refused\n");
}
static void start(void) {
  cuInit_(0);
  cuDevicePrimaryCtxRetain_(&context, 0);
  cuCtxSetCurrent_(context);
  cuModuleLoadData_(&module, "");
  cuMemAlloc_(&buffer, n * sizeof(float));
}
static void *thread(void *s) {
  cuCtxSetCurrent_(context);
  P f = function("_Z12threads_us20Pfi");
  for (int i = 0; i < 50; i++) { go(f, s, 64); cuStreamSynchronize_(s); }
  return NULL;
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "plain";
  if (argc > 2) value = atof(argv[2]);
  if (!strcmp(what, "nothing")) return 0;
  look_up();
  if (!strcmp(what, "fork")) {
    pid_t child = fork();
    start();
    for (int i = 0; i < (child ? 3 : 2); i++) go(function("_Z9fork_us10Pfi"), NULL, 32);
    cuCtxSynchronize_();
    if (child) waitpid(child, NULL, 0); else _exit(0);
    return 0;
  }
  start();
  if (!strcmp(what, "idle")) return 0;
  if (!strcmp(what, "plain") || !strcmp(what, "abort") || !strcmp(what, "kill") || !strcmp(what, "_exit")) {
    P slow = function("_Z10slow_us500Pfi"), fast = function("_Z8fast_us2Pfi");
    for (int i = 0; i < 10; i++) { go(slow, NULL, i % 2 ? 128 : 256); go(fast, NULL, 32); }
    float back[1024];
    cuMemcpyDtoH_(back, buffer, sizeof back);
    go(slow, NULL, 256); /* nobody waits for this one */
    if (!strcmp(what, "abort")) abort();
    if (!strcmp(what, "kill")) kill(getpid(), SIGKILL);
    if (!strcmp(what, "_exit")) _exit(7);
    cuCtxSynchronize_();
    printf("%g\n", back[1]);
  } else if (!strcmp(what, "kinds")) {
    P kernel, parameters[] = {&buffer, &n, &value};
    cuLibraryLoadData_(&library, "");
    cuLibraryGetKernel_(&kernel, library, "_Z11group_us100Pfi");
    Attribute cluster = {4, 0, {2, 1, 1}};
    Config config = {{8, 1, 1}, {64, 2, 1}, 4096, NULL, &cluster, 1};
    cuLaunchKernelEx_(&config, kernel, parameters, NULL);
    cuLaunchCooperativeKernel_(function("coop_us200"), 8, 1, 1, 32, 1, 1, 0, NULL, parameters);
    go(function("refused"), NULL, 32);
    P other;
    cuDevicePrimaryCtxRetain_(&other, 1);
    cuCtxSetCurrent_(other);
    go(function("coop_us200"), NULL, 32);
    cuCtxSynchronize_();
  } else if (!strcmp(what, "graph")) {
    P graph, executable, s, f = function("_Z9node_us30Pfi"), g = function("_Z10other_us40Pfi");
    cuStreamCreate_(&s, 0);
    go(f, NULL, 32);
    cuStreamSynchronize_(NULL);
    go(f, NULL, 32);
    cuStreamBeginCapture_(s, 0);
    go(f, s, 32); go(f, s, 32); go(g, s, 32);
    cuStreamSynchronize_(NULL);
    printf("end of capture: %d\n", cuStreamEndCapture_(s, &graph));
    cuGraphInstantiate_(&executable, graph, 0);
    for (int i = 0; i < 5; i++) cuGraphLaunch_(executable, s);
    cuStreamSynchronize_(s);
  } else if (!strcmp(what, "streams")) {
    for (int i = 0; i < 4; i++) cuStreamCreate_(&stream[i], 0);
    P f = function("_Z14streams_us1000Pfi");
    for (int i = 0; i < 40; i++) go(f, stream[i % 4], 32);
    for (int i = 0; i < 4; i++) cuStreamSynchronize_(stream[i]);
  } else if (!strcmp(what, "threads")) {
    pthread_t t[4];
    for (int i = 0; i < 4; i++) { cuStreamCreate_(&stream[i], 0); pthread_create(&t[i], NULL, thread, stream[i]); }
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
  } else if (!strcmp(what, "many")) {
    P f = function("_Z8many_us5Pfi");
    n = 0;
    for (int i = 0; i < 400000; i++) { go(f, NULL, 32); if (i % 1000 == 0) cuCtxSynchronize_(); }
    cuCtxSynchronize_();
  } else if (!strcmp(what, "asynchronous")) {
    P pinned, s, f = function("_Z9copy_us10Pfi");
    cuStreamCreate_(&s, 0);
    cuMemHostAlloc_(&pinned, n * sizeof(float), 0);
    go(f, s, 32);
    cuMemcpyDtoHAsync_(pinned, buffer, n * sizeof(float), s); /* overwritten by the next */
    cuMemcpyDtoHAsync_(pinned, buffer, n * sizeof(float), s);
    cuStreamSynchronize_(s);
    memset(pinned, 0, n * sizeof(float)); /* the program's own from here on */
    float pageable[1024];
    cuMemcpyDtoHAsync_(pageable, buffer, sizeof pageable, s);
    memset(pageable, getpid(), sizeof pageable);
    cuStreamSynchronize_(s);
  } else if (!strcmp(what, "versions") || !strcmp(what, "no versions")) {
    /* a build with versions of kernels copies their tables */
    P f = function("_Z9copy_us10Pfi");
    uint64_t table[2] = {0x3230534549575257, 0}, words[2];
    float back[1024];
    if (*what == 'v') cuMemcpyDtoHAsync_(words, (uint64_t)table, sizeof words, NULL);
    go(f, NULL, 32);
    cuMemcpyDtoH_(back, buffer, sizeof back);
  } else if (!strcmp(what, "random")) {
    value = getpid();
    float back[1024];
    go(function("_Z11random_us50Pfi"), NULL, 32);
    cuMemcpyDtoH_(back, buffer, sizeof back);
    printf("%g\n", back[0]);
  } else if (!strcmp(what, "sleep")) {
    go(function("_Z10sleep_us50Pfi"), NULL, 32);
    cuCtxSynchronize_();
    printf("asleep\n");
    fflush(stdout);
    sleep(60);
  }
  return 0;
}
