/* A driver without a GPU: as much of libcuda as the timed programs call.
 *
 * Time is simulated. Every stream has a clock that a launch moves on by what the kernel's name says: the digits behind
 * "us" are microseconds. Nothing is done before somebody waits: events answer "not ready" until then. A kernel fills the
 * buffer that is its first parameter, of as many floats as its second says, with its third.
 *
 * It is as strict as the true one: work noted on a stream that is captured goes into the graph, and asking for an event
 * while some thread captures spoils the capture unless this thread may. FAKE_LOG names a file for what the program must
 * not notice: how many events went into graphs, and captures that were spoilt. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BAD_HANDLE = 400, NOT_FOUND = 500, NOT_READY = 600, CAPTURE_UNSAFE = 900, NO_CONTEXT = 201 };
enum { MAX_NODES = 64, PARAMETERS = 3 };

typedef struct Function {
  char name[256];
  double ms;
  int is_kernel;
} Function;
typedef struct Graph {
  Function *nodes[MAX_NODES];
  float *buffer[MAX_NODES];
  int n[MAX_NODES], count, events;
  float value[MAX_NODES];
} Graph;
typedef struct Stream {
  double clock;      /* when the last thing in it ends */
  double waited;     /* somebody has waited up to here */
  Graph *capturing;
} Stream;
typedef struct Event {
  double at;
  Stream *stream;
} Event;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Stream null_stream;
static Stream *streams[64];
static int stream_count, captures, spoilt, events_in_graphs, started, devices = 2;
static __thread int device, capture_mode;

static Stream *of(void *stream) { return stream ? stream : &null_stream; }

static void note_log(void) {
  const char *path = getenv("FAKE_LOG");
  FILE *file = path ? fopen(path, "w") : NULL;
  if (file) {
    fprintf(file, "events in graphs %d, spoilt captures %d\n", events_in_graphs, spoilt);
    fclose(file);
  }
}

int cuInit(unsigned flags) { started = 1; return 0; }
int cuDriverGetVersion(int *v) { *v = 13000; return 0; }
int cuDeviceGet(int *d, int i) { *d = i; return i < devices ? 0 : 101; }
int cuDeviceGetName(char *name, int n, int d) { snprintf(name, n, "Fake %d", d); return 0; }
int cuDeviceGetAttribute(int *v, int which, int d) {
  *v = which == 75 ? 9 : which == 76 ? 0 : which == 39 ? 2048 : which == 16 ? 132 : 4;
  return 0;
}
static char contexts[4];
int cuDevicePrimaryCtxRetain(void **c, int d) { *c = &contexts[d]; return 0; }
int cuDevicePrimaryCtxRelease_v2(int d) { return 0; }
int cuCtxSetCurrent(void *c) { device = (char *)c - contexts; return 0; }
int cuCtxGetCurrent(void **c) { *c = started ? &contexts[device] : NULL; return 0; }
int cuCtxGetDevice(int *d) { *d = device; return started ? 0 : NO_CONTEXT; }
int cuThreadExchangeStreamCaptureMode(int *mode) {
  int before = capture_mode;
  capture_mode = *mode;
  *mode = before;
  return 0;
}

static void wait_for(Stream *s) { s->waited = s->clock; }
int cuCtxSynchronize(void) {
  pthread_mutex_lock(&lock);
  wait_for(&null_stream);
  for (int i = 0; i < stream_count; i++) wait_for(streams[i]);
  pthread_mutex_unlock(&lock);
  return 0;
}
int cuStreamCreate(void **s, unsigned flags) {
  pthread_mutex_lock(&lock);
  *s = streams[stream_count++] = calloc(1, sizeof(Stream));
  pthread_mutex_unlock(&lock);
  return 0;
}
int cuStreamSynchronize(void *s) {
  pthread_mutex_lock(&lock);
  wait_for(of(s));
  pthread_mutex_unlock(&lock);
  return 0;
}
int cuStreamIsCapturing(void *s, int *status) {
  *status = of(s)->capturing ? 1 : 0;
  return !s && captures ? 906 : 0;
}
int cuStreamBeginCapture_v2(void *s, int mode) {
  captures++;
  of(s)->capturing = calloc(1, sizeof(Graph));
  return 0;
}
int cuStreamEndCapture(void *s, void **graph) {
  captures--;
  *graph = of(s)->capturing;
  of(s)->capturing = NULL;
  return spoilt ? 901 : 0;
}
int cuGraphInstantiateWithFlags(void **exec, void *graph, unsigned long long flags) {
  *exec = malloc(sizeof(Graph));
  memcpy(*exec, graph, sizeof(Graph));
  return 0;
}
int cuGraphGetNodes(void *graph, void **nodes, size_t *count) {
  Graph *g = graph;
  for (int i = 0; nodes && i < g->count; i++) nodes[i] = g->nodes[i];
  *count = g->count;
  return 0;
}
int cuGraphNodeGetType(void *node, int *kind) { *kind = 0; return 0; }
int cuGraphKernelNodeGetParams_v2(void *node, void **parameters) {
  memset(parameters, 0, 72);
  parameters[0] = node;
  return 0;
}

static void fill(float *buffer, int n, float value) {
  for (int i = 0; i < n; i++) buffer[i] = value + i;
}
int cuGraphLaunch(void *exec, void *stream) {
  Graph *g = exec;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < g->count; i++) {
    of(stream)->clock += g->nodes[i]->ms;
    if (g->buffer[i]) fill(g->buffer[i], g->n[i], g->value[i]);
  }
  pthread_mutex_unlock(&lock);
  return 0;
}

int cuEventCreate(void **e, unsigned flags) { *e = calloc(1, sizeof(Event)); return 0; }
int cuEventRecord(void *e, void *stream) {
  pthread_mutex_lock(&lock);
  Event *event = e;
  event->stream = of(stream);
  event->at = of(stream)->clock;
  if (of(stream)->capturing) {
    of(stream)->capturing->events++;
    events_in_graphs++;
    note_log();
  }
  pthread_mutex_unlock(&lock);
  return 0;
}
int cuEventQuery(void *e) {
  Event *event = e;
  if (captures && capture_mode != 2) {
    spoilt++;
    note_log();
    return CAPTURE_UNSAFE;
  }
  pthread_mutex_lock(&lock);
  int answer = !event->stream || event->stream->waited >= event->at ? 0 : NOT_READY;
  pthread_mutex_unlock(&lock);
  return answer;
}
int cuEventSynchronize(void *e) {
  Event *event = e;
  if (event->stream) cuStreamSynchronize(event->stream == &null_stream ? NULL : event->stream);
  return 0;
}
int cuEventElapsedTime(float *ms, void *a, void *b) {
  *ms = ((Event *)b)->at - ((Event *)a)->at;
  return cuEventQuery(b);
}

static Function *function(const char *name, int is_kernel) {
  Function *f = calloc(1, sizeof(Function));
  snprintf(f->name, sizeof f->name, "%s", name);
  const char *us = strstr(name, "us");
  f->ms = us ? atoi(us + 2) / 1000.0 : 0.01;
  f->is_kernel = is_kernel;
  return f;
}
int cuModuleLoadData(void **m, const void *image) { *m = &null_stream; return 0; }
int cuModuleGetFunction(void **f, void *m, const char *name) { *f = function(name, 0); return 0; }
int cuLibraryLoadData(void **l, const void *image) { *l = &null_stream; return 0; }
int cuLibraryGetKernel(void **k, void *l, const char *name) { *k = function(name, 1); return 0; }
int cuKernelGetFunction(void **f, void *kernel) { *f = kernel; return 0; }
int cuFuncGetName(const char **name, void *f) { *name = ((Function *)f)->name; return 0; }
int cuFuncGetAttribute(int *v, int which, void *f) { *v = which == 4 ? 40 : which == 3 ? 16 : which == 1 ? 1024 : 1024; return 0; }
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *v, void *f, int threads, size_t shared) { *v = 1024 / threads; return 0; }

int cuMemAlloc_v2(uint64_t *p, size_t n) { *p = (uint64_t)calloc(1, n); return 0; }
int cuMemFree_v2(uint64_t p) { free((void *)p); return 0; }
static char *pinned;
static size_t pinned_size;
int cuMemHostAlloc(void **p, size_t n, unsigned flags) { *p = pinned = malloc(n); pinned_size = n; return 0; }
int cuMemFreeHost(void *p) { free(p); pinned = NULL; return 0; }
int cuPointerGetAttribute(unsigned *v, int which, uint64_t p) {
  if (pinned && p >= (uint64_t)pinned && p < (uint64_t)pinned + pinned_size) { *v = 1; return 0; }
  return 1;
}
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t n) {
  memcpy(to, (void *)from, n);
  return cuCtxSynchronize();
}
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t n, void *stream) {
  memcpy(to, (void *)from, n);
  pthread_mutex_lock(&lock);
  of(stream)->clock += 0.001;
  pthread_mutex_unlock(&lock);
  return 0;
}

static int run(void *f, void *stream, void **parameters) {
  Function *function = f;
  Stream *s = of(stream);
  pthread_mutex_lock(&lock);
  float *buffer = parameters ? *(float **)parameters[0] : NULL;
  int n = parameters ? *(int *)parameters[1] : 0;
  float value = parameters ? *(float *)parameters[2] : 0;
  if (s->capturing) {
    Graph *g = s->capturing;
    g->nodes[g->count] = function;
    g->buffer[g->count] = buffer;
    g->n[g->count] = n;
    g->value[g->count++] = value;
  } else {
    s->clock += function->ms;
    if (buffer) fill(buffer, n, value);
  }
  pthread_mutex_unlock(&lock);
  return 0;
}
int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned x, unsigned y, unsigned z, unsigned shared,
                   void *stream, void **parameters, void **extra) {
  return strstr(((Function *)f)->name, "refused") ? 701 : run(f, stream, parameters);
}
int cuLaunchCooperativeKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned x, unsigned y, unsigned z,
                              unsigned shared, void *stream, void **parameters) {
  return run(f, stream, parameters);
}
typedef struct { unsigned grid[3], block[3], shared; void *stream; void *attributes; unsigned count; } Config;
int cuLaunchKernelEx(const Config *config, void *f, void **parameters, void **extra) {
  return run(f, config->stream, parameters);
}

int cuGetProcAddress_v2(const char *symbol, void **found, int version, uint64_t flags, int *status);
#define ENTRY(name) {#name, name}
static const struct { const char *name; void *address; } entries[] = {
    ENTRY(cuInit), ENTRY(cuDeviceGet), ENTRY(cuDevicePrimaryCtxRetain), ENTRY(cuCtxSetCurrent), ENTRY(cuCtxSynchronize),
    ENTRY(cuStreamCreate), ENTRY(cuStreamSynchronize), {"cuStreamBeginCapture", cuStreamBeginCapture_v2},
    ENTRY(cuStreamEndCapture), {"cuGraphInstantiate", cuGraphInstantiateWithFlags}, ENTRY(cuGraphLaunch),
    ENTRY(cuEventCreate), ENTRY(cuEventRecord), ENTRY(cuEventQuery), ENTRY(cuModuleLoadData), ENTRY(cuModuleGetFunction),
    ENTRY(cuLibraryLoadData), ENTRY(cuLibraryGetKernel), {"cuMemAlloc", cuMemAlloc_v2}, {"cuMemFree", cuMemFree_v2},
    ENTRY(cuMemHostAlloc), ENTRY(cuMemFreeHost), {"cuMemcpyDtoH", cuMemcpyDtoH_v2},
    {"cuMemcpyDtoHAsync", cuMemcpyDtoHAsync_v2}, ENTRY(cuLaunchKernel), ENTRY(cuLaunchCooperativeKernel),
    ENTRY(cuLaunchKernelEx), {"cuGetProcAddress", cuGetProcAddress_v2},
};
int cuGetProcAddress_v2(const char *symbol, void **found, int version, uint64_t flags, int *status) {
  *found = NULL;
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
    if (!strcmp(entries[i].name, symbol)) *found = entries[i].address;
  if (status) *status = *found ? 0 : 1;
  return *found ? 0 : NOT_FOUND;
}
