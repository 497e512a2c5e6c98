// Does a launch run a kernel or its version? This code is linked into the host module of a CUDA program compiled with
// -warpwise-versions; the kernel's launch stub calls it instead of cudaLaunchKernel (docs/VERSIONS.md). It is compiled
// twice: with WARPWISE_TUNE, for -warpwise-tune, launches take turns among a kernel's alternatives (tune.h).
//
// What the version of `k` needs is in the table "k$versions" of the device code. It is looked up once for each context,
// and what follows from the block's shape and the dynamic shared memory once for each pair of them. After that a launch
// walks two short lists.
//
// Whatever fails, the kernel itself is launched, with the original function and the original arguments. The program
// sees the runtime's errors as without us: only cudaGetFuncBySymbol could leave one, and it is called only while there
// is none, so that the one it leaves can be cleared.
//
// Threads: lists grow at their heads only, published with release stores; nothing in them changes afterwards or is
// freed. A thread that would have to wait for another's look-up launches the kernel itself instead.

#include "cuda.h"
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

// The C library, declared here so that no header is needed.
char *getenv(const char *name);
void *malloc(size_t bytes);
void free(void *memory);
int dprintf(int file, const char *format, ...) __attribute__((format(printf, 2, 3)));
int strcmp(const char *a, const char *b);
size_t strlen(const char *text);
void *memcpy(void *to, const void *from, size_t bytes);

// --- The table of a kernel's versions -------------------------------------------------------------------------------

#define TABLE_MAGIC UINT64_C(0x3230534549575257)

enum {
  WARP_SIZE = 32,
#ifdef WARPWISE_TUNE
  MAX_ALTERNATIVES = 6, // of a kernel, besides itself
#else
  MAX_ALTERNATIVES = 1,
#endif
  MAX_TABLE_WORDS = 512, // longer tables are not ours
  MAX_SHARED = 1 << 20,  // bytes of shared memory that no block of any GPU has
  WORDS_PER_VERSION = 3,
};

typedef struct {
  Function function;
  uint64_t slot_bytes, slot_align; // bytes for each warp; alignment of where they begin
  uint64_t keep; // how many quarters of the kernel's blocks a multiprocessor may lose, plus 1; otherwise: however many
  atomic_int carveout; // percent of a multiprocessor's memory that was last asked for as shared memory
#ifdef WARPWISE_TUNE
  char name[17]; // of the alternative
#endif
} Version;

// The threads of a block, or the blocks of a grid.
static uint64_t size_of(Dim3 shape) { return (uint64_t)shape.x * shape.y * shape.z; }

// What follows from the shape of the block and the dynamic shared memory: the versions that may run.
typedef struct Choice {
  struct Choice *next;
  Dim3 block;
  uint64_t own; // dynamic shared memory of the program in bytes
  unsigned count;
  atomic_int last; // the version of the last launch, for WARPWISE_VERSIONS=say
  struct {
    unsigned number; // counted from 1, as in the name
    Function function;
    unsigned dynamic; // its dynamic shared memory in bytes
    // Blocks that can be resident on the GPU at once, of the version and of the kernel. Blocks of a grid that is
    // resident as a whole may wait for each other; such a grid must not go to a version of which fewer blocks are.
    uint64_t resident, resident_of_kernel;
    uint64_t shared, shared_of_sm; // bytes that a block takes, and that a multiprocessor has; 0: without slots
    unsigned processors;           // multiprocessors of the GPU
    atomic_int *carveout;          // the version's
  } versions[MAX_ALTERNATIVES];
#ifdef WARPWISE_TUNE
  struct Tuning *tuning; // null if the kernel has no alternatives to be measured
#endif
} Choice;

// A kernel in one context.
typedef struct Kernel {
  struct Kernel *next;
  unsigned long long context;
  Function function;
  unsigned count; // 0: it has no versions
  char letter;    // in their names: v, or t of alternatives to be measured
  Version versions[MAX_ALTERNATIVES];
  _Atomic(Choice *) choices;
  unsigned choice_count;
#ifdef WARPWISE_TUNE
  uint64_t hash; // of the code, from the table of alternatives
#endif
} Kernel;

// A kernel's launch stub. The plugin makes a variable of this size for each, with the name and zeros.
typedef struct {
  const char *name;          // of the kernel in the device code
  _Atomic(Kernel *) kernels; // in the contexts seen so far
  atomic_uint busy;          // whether some thread is adding to the lists
  unsigned kernel_count;
} Stub;
_Static_assert(sizeof(Stub) == 24 || sizeof(void *) != 8, "src/ir/llvm/launch_host.cpp makes variables of this size");

// Bounds of the lists. A program that launches one kernel in more different ways gets the kernel itself for the rest:
// walking a longer list would cost more than the 100 ns that a launch may.
enum { MAX_CHOICES = 32, MAX_CONTEXTS = 16 };

// --- State of the program -------------------------------------------------------------------------------------------

enum Mode { UNKNOWN, ON, OFF, SAY };
static atomic_int mode_known;
static Driver driver_functions;
enum { UNTRIED, TRYING, READY, MISSING };
static atomic_int driver_state;

static enum Mode read_mode(void) {
  const char *text = getenv("WARPWISE_VERSIONS");
  enum Mode mode = !text ? ON : !strcmp(text, "off") ? OFF : !strcmp(text, "say") ? SAY : ON;
  atomic_store_explicit(&mode_known, mode, memory_order_relaxed);
  return mode;
}

static enum Mode mode(void) { return (enum Mode)atomic_load_explicit(&mode_known, memory_order_relaxed); }

// Looks the driver's functions up, once; null if one is missing, or while another thread does.
static const Driver *driver(void) {
  int state = atomic_load_explicit(&driver_state, memory_order_acquire);
  if (__builtin_expect(state == READY, 1))
    return &driver_functions;
  if (state != UNTRIED || !atomic_compare_exchange_strong(&driver_state, &state, TRYING))
    return NULL;
  void *found[DRIVER_FUNCTIONS];
  int is_there = cudaGetFuncBySymbol && cudaPeekAtLastError && cudaGetLastError &&
                 (cudaGetDriverEntryPointByVersion || cudaGetDriverEntryPoint);
  for (int i = 0; i < DRIVER_FUNCTIONS && is_there; i++) {
    int result = 0; // 0: found
    found[i] = NULL;
    Status status = cudaGetDriverEntryPointByVersion
                        ? cudaGetDriverEntryPointByVersion(driver_names[i], &found[i], DRIVER_VERSION, 0, &result)
                        : cudaGetDriverEntryPoint(driver_names[i], &found[i], 0, &result);
    is_there = !status && !result && found[i];
  }
  if (is_there)
    memcpy(&driver_functions, found, sizeof found);
  else if (mode() == SAY)
    dprintf(2, "warpwise: kernels run as they are: the CUDA runtime or driver lacks a function\n");
  atomic_store_explicit(&driver_state, is_there ? READY : MISSING, memory_order_release);
  return is_there ? &driver_functions : NULL;
}

// --- The slow path: what is looked up -------------------------------------------------------------------------------

// Copies the table from the device, on a stream of its own: it waits for nothing that the program has launched.
static int copy_table(const Driver *cu, uint64_t *words, unsigned long long from, size_t bytes) {
  Stream stream;
  if (cu->cuStreamCreate(&stream, STREAM_NON_BLOCKING))
    return 0;
  int is_copied = !cu->cuMemcpyDtoHAsync(words, from, bytes, stream);
  is_copied &= !cu->cuStreamSynchronize(stream);
  cu->cuStreamDestroy(stream);
  return is_copied;
}

// Reads a version from the words of a table: where the next one begins, null if it is none.
static const uint64_t *read_version(Version *version, const uint64_t *head, const uint64_t *end) {
  if (end - head < WORDS_PER_VERSION)
    return NULL;
  // an alignment is a power of two; none of the numbers may overflow what is computed with it
  if (head[0] > MAX_SHARED || head[1] > MAX_SHARED || !head[1] || (head[1] & (head[1] - 1)) || head[2] > MAX_SHARED)
    return NULL;
  *version = (Version){.slot_bytes = head[0], .slot_align = head[1], .keep = head[2]};
  return head + WORDS_PER_VERSION;
}

// Reads the version from the words of a table; false if they are not a table of ours.
static int read_table_of_version(Kernel *kernel, const uint64_t *words, size_t length) {
  kernel->count =
      length > 0 && words[0] == TABLE_MAGIC && read_version(kernel->versions, words + 1, words + length) != NULL;
  return (int)kernel->count;
}

// Whether a version that may run with this block may run with this grid.
static inline int may_launch(const Choice *choice, unsigned index, Dim3 grid) {
  uint64_t blocks = size_of(grid);
  return blocks <= choice->versions[index].resident || blocks > choice->versions[index].resident_of_kernel;
}

// Leaves the first-level cache what this grid's blocks do not need of the memory that it shares with shared memory. The
// driver sets aside what all blocks that could be resident would take. With a grid that is smaller, accesses that would
// hit the cache would then miss it: a kernel of 14 blocks took 1.8 times as long.
static inline void set_carveout(const Driver *cu, const Choice *choice, unsigned index, Dim3 grid) {
  if (!choice->versions[index].shared)
    return;
  unsigned processors = choice->versions[index].processors;
  uint64_t blocks = size_of(grid), resident = choice->versions[index].resident;
  blocks = ((blocks < resident ? blocks : resident) + processors - 1) / processors;
  uint64_t of_sm = choice->versions[index].shared_of_sm;
  int percent = (int)((blocks * choice->versions[index].shared * 100 + of_sm - 1) / of_sm);
  percent = percent < 100 ? percent : 100;
  // a hint, and one for all launches of the function: whichever thread comes last is as good
  if (atomic_exchange_explicit(choice->versions[index].carveout, percent, memory_order_relaxed) != percent)
    cu->cuFuncSetAttribute(choice->versions[index].function, PREFERRED_CARVEOUT, percent);
}

#ifdef WARPWISE_TUNE
#include "tune.h"
#endif

// What is read of a table with this suffix.
typedef int Reader(Kernel *, const uint64_t *, size_t);

// Reads a table of the kernel in the device code; null if its versions are known now, else why there are none. `name`
// is the table's.
static const char *read_table(const Driver *cu, Kernel *kernel, Module module, const char *name, Reader *read) {
  unsigned long long address;
  size_t bytes = 0;
  if (cu->cuModuleGetGlobal(&address, &bytes, module, name))
    return "it has no versions";
  if (bytes % 8 || bytes > 8 * MAX_TABLE_WORDS)
    return "its table is not one of this version of warpwise";
  uint64_t *words = malloc(bytes);
  const char *why = NULL;
  if (!words || !copy_table(cu, words, address, bytes))
    why = "its table cannot be copied from the device";
  else if (!read(kernel, words, bytes / 8))
    why = "its table is not one of this version of warpwise";
  if (why)
    free(words);
  return why;
}

// Fills in what the device code says about the kernel's versions: null, or why it has none.
static const char *find_versions(const Driver *cu, const Stub *stub, Kernel *kernel) {
  Module module;
  size_t end = strlen(stub->name);
  char *name = malloc(end + sizeof "$versions");
  if (!name || cu->cuFuncGetModule(&module, kernel->function)) {
    free(name);
    return "its module is not known";
  }
  memcpy(name, stub->name, end);
  kernel->letter = 'v';
#ifdef WARPWISE_TUNE
  memcpy(name + end, "$tuning", sizeof "$tuning");
  if (!read_table(cu, kernel, module, name, read_alternatives))
    kernel->letter = 't';
#endif
  memcpy(name + end, "$versions", sizeof "$versions");
  const char *why = kernel->count ? NULL : read_table(cu, kernel, module, name, read_table_of_version);
  for (unsigned i = 0; i < kernel->count; i++) {
    memcpy(name + end, "$v1", sizeof "$v1");
    name[end + 1] = kernel->letter;
    name[end + 2] = (char)('1' + i);
    if (cu->cuModuleGetFunction(&kernel->versions[i].function, module, name))
      kernel->versions[i].function = NULL; // the version is not used
  }
  free(name);
  return why;
}

// Looks a kernel up in the current context; null if that cannot be done now.
static Kernel *look_up_kernel(const Driver *cu, Stub *stub, const void *symbol, unsigned long long context) {
  // an error that the program has not fetched yet could not be put back
  if (stub->kernel_count >= MAX_CONTEXTS || cudaPeekAtLastError())
    return NULL;
  Function function;
  if (cudaGetFuncBySymbol(&function, symbol)) {
    cudaGetLastError();
    return NULL;
  }
  Kernel *kernel = malloc(sizeof *kernel);
  if (!kernel)
    return NULL;
  *kernel = (Kernel){.context = context, .function = function};
  const char *why = find_versions(cu, stub, kernel);
  if (why && mode() == SAY)
    dprintf(2, "warpwise: %s: the kernel itself runs: %s\n", stub->name, why);
  kernel->next = atomic_load_explicit(&stub->kernels, memory_order_relaxed);
  atomic_store_explicit(&stub->kernels, kernel, memory_order_release);
  stub->kernel_count++;
  return kernel;
}

// Whether a program that sets clusters on the kernel at run time has made it differ from its version.
static int has_same_cluster(const Driver *cu, Function a, Function b) {
  for (int i = 0; i < 3; i++) {
    int of_a = 0, of_b = 0;
    // a driver that does not know the attribute knows no clusters
    if (cu->cuFuncGetAttribute(&of_a, REQUIRED_CLUSTER + i, a) ||
        cu->cuFuncGetAttribute(&of_b, REQUIRED_CLUSTER + i, b))
      continue;
    if (of_a != of_b)
      return 0;
  }
  return 1;
}

// Why a version cannot be launched with this much dynamic shared memory; null if it can, and is prepared for it. Notes
// how many of its blocks can be resident.
static const char *prepare(const Driver *cu, const Kernel *kernel, const Version *version, Choice *choice,
                           uint64_t dynamic) {
  int threads = (int)size_of(choice->block), limit = 0, blocks = 0, blocks_of_kernel = 0;
  if (!has_same_cluster(cu, kernel->function, version->function))
    return "clusters were set on the kernel";
  if (cu->cuFuncGetAttribute(&limit, MAX_DYNAMIC_SHARED, version->function))
    return "the driver does not say how much shared memory it may have";
  if (dynamic > (uint64_t)limit && cu->cuFuncSetAttribute(version->function, MAX_DYNAMIC_SHARED, (int)dynamic))
    return "a block has not that much shared memory";
  if (cu->cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, version->function, threads, dynamic) || blocks <= 0)
    return "no block of it fits";
  if (cu->cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_of_kernel, kernel->function, threads, choice->own))
    return "the kernel's occupancy is not known";
  if (version->keep && version->keep < 5 && (uint64_t)blocks * 4 < (uint64_t)blocks_of_kernel * (5 - version->keep))
    return "too few of its blocks fit";
  int device, processors;
  if (cu->cuCtxGetDevice(&device) || cu->cuDeviceGetAttribute(&processors, MULTIPROCESSORS, device))
    return "the number of multiprocessors is not known";
  choice->versions[choice->count].resident = (uint64_t)blocks * (unsigned)processors;
  choice->versions[choice->count].resident_of_kernel = (uint64_t)blocks_of_kernel * (unsigned)processors;
  choice->versions[choice->count].processors = (unsigned)processors;
  int fixed, reserved, of_sm;
  if (dynamic > choice->own && !cu->cuFuncGetAttribute(&fixed, STATIC_SHARED, version->function) &&
      !cu->cuDeviceGetAttribute(&reserved, RESERVED_SHARED, device) &&
      !cu->cuDeviceGetAttribute(&of_sm, SHARED_OF_MULTIPROCESSOR, device) && of_sm > 0) {
    choice->versions[choice->count].shared = dynamic + (unsigned)fixed + (unsigned)reserved;
    choice->versions[choice->count].shared_of_sm = (unsigned)of_sm;
  }
  return NULL;
}

// Adds a version to the choice if it may run with the choice's block and dynamic shared memory: null, or why not.
static const char *admit(const Driver *cu, Kernel *kernel, unsigned index, Choice *choice) {
  Version *version = &kernel->versions[index];
  if (!version->function)
    return "it is missing in the device code";
  uint64_t warps = (size_of(choice->block) + WARP_SIZE - 1) / WARP_SIZE;
  uint64_t own = (choice->own + version->slot_align - 1) & -version->slot_align;
  uint64_t dynamic = own + version->slot_bytes * warps;
  if (dynamic > MAX_SHARED)
    return "a block has not that much shared memory";
  if (version->slot_bytes && size_of(choice->block) < WARP_SIZE)
    return "it is for blocks of at least a warp";
  const char *why = prepare(cu, kernel, version, choice, dynamic);
  if (why)
    return why;
  choice->versions[choice->count].number = index + 1;
  choice->versions[choice->count].function = version->function;
  choice->versions[choice->count].dynamic = (unsigned)dynamic;
  choice->versions[choice->count++].carveout = &version->carveout;
  return NULL;
}

// Decides which versions may run with this block and dynamic shared memory; null if that cannot be done now.
static Choice *decide(const Driver *cu, const Stub *stub, Kernel *kernel, Dim3 block, size_t own) {
  int limit;
  // what is not a launch of the kernel stays the error that it is
  if (kernel->choice_count >= MAX_CHOICES || own > MAX_SHARED || !size_of(block) || block.x > 1024 || block.y > 1024 ||
      block.z > 1024 || cu->cuFuncGetAttribute(&limit, MAX_DYNAMIC_SHARED, kernel->function) || own > (size_t)limit)
    return NULL;
  Choice *choice = malloc(sizeof *choice);
  if (!choice)
    return NULL;
  *choice = (Choice){.block = block, .own = own, .last = -1};
  for (unsigned i = 0; i < kernel->count; i++) {
    const char *why = admit(cu, kernel, i, choice);
    if (why && mode() == SAY)
      dprintf(2, "warpwise: %s$%c%u is not used with blocks of %ux%ux%u and %llu bytes: %s\n", stub->name,
              kernel->letter, i + 1, block.x, block.y, block.z, (unsigned long long)own, why);
  }
#ifdef WARPWISE_TUNE
  choice->tuning = kernel->letter == 't' ? new_tuning(cu, stub, kernel, choice) : NULL;
  if (kernel->letter == 't' && !choice->tuning)
    choice->count = 0; // alternatives run to be measured only
#endif
  choice->next = atomic_load_explicit(&kernel->choices, memory_order_relaxed);
  atomic_store_explicit(&kernel->choices, choice, memory_order_release);
  kernel->choice_count++;
  return choice;
}

static Kernel *find_kernel(Stub *stub, unsigned long long context) {
  Kernel *kernel = atomic_load_explicit(&stub->kernels, memory_order_acquire);
  while (kernel && kernel->context != context)
    kernel = kernel->next;
  return kernel;
}

static Choice *find_choice(Kernel *kernel, Dim3 block, size_t own) {
  Choice *choice = atomic_load_explicit(&kernel->choices, memory_order_acquire);
  while (choice &&
         (choice->block.x != block.x || choice->block.y != block.y || choice->block.z != block.z || choice->own != own))
    choice = choice->next;
  return choice;
}

// Looks up what the lists do not have. Other threads' captures of streams go on meanwhile.
__attribute__((noinline, cold)) static Choice *look_up(const Driver *cu, Stub *stub, const void *symbol,
                                                       unsigned long long context, Dim3 block, size_t own) {
  if (atomic_exchange_explicit(&stub->busy, 1, memory_order_acquire))
    return NULL;
  int capture = CAPTURE_RELAXED;
  Choice *choice = NULL;
  if (!cu->cuThreadExchangeStreamCaptureMode(&capture)) {
    Kernel *kernel = find_kernel(stub, context); // again: another thread may have been faster
    kernel = kernel ? kernel : look_up_kernel(cu, stub, symbol, context);
    if (kernel && kernel->count) {
      choice = find_choice(kernel, block, own);
      choice = choice ? choice : decide(cu, stub, kernel, block, own);
    }
    cu->cuThreadExchangeStreamCaptureMode(&capture);
  }
  atomic_store_explicit(&stub->busy, 0, memory_order_release);
  return choice;
}

// --- The launch -----------------------------------------------------------------------------------------------------

// Says which version (0: the kernel) runs, if another one than at the last launch with this block.
__attribute__((noinline, cold)) static void say_version(const Stub *stub, Choice *choice, int number) {
  if (atomic_exchange(&choice->last, number) == number)
    return;
  char what[] = "version 1 runs";
  what[8] = (char)('0' + number);
  dprintf(2, "warpwise: %s, block %ux%ux%u, %llu bytes of dynamic shared memory: %s\n", stub->name, choice->block.x,
          choice->block.y, choice->block.z, (unsigned long long)choice->own, number ? what : "the kernel itself runs");
}

// Launches a version; false if the kernel itself is to be launched.
static inline int launch_version(Stub *stub, const void *symbol, Dim3 grid, Dim3 block, void **arguments, size_t own,
                                 Stream stream) {
  enum Mode known = mode();
  if (__builtin_expect(known == UNKNOWN, 0))
    known = read_mode();
  if (known == OFF)
    return 0;
  const Driver *cu = driver();
  unsigned long long context;
  int capture = 0;
  if (!cu || cu->cuCtxGetId(NULL, &context))
    return 0;
  Kernel *kernel = find_kernel(stub, context);
  if (kernel && !kernel->count)
    return 0;
  // The nodes of a graph can be given other arguments, and be asked for the kernel they run: they run the kernel
  // itself.
  if (cu->cuStreamIsCapturing(stream, &capture) || capture)
    return 0;
  Choice *choice = kernel ? find_choice(kernel, block, own) : NULL;
  if (__builtin_expect(!choice, 0) && !(choice = look_up(cu, stub, symbol, context, block, own)))
    return 0;
#ifdef WARPWISE_TUNE
  if (choice->tuning)
    return launch_in_turn(cu, choice, grid, arguments, stream);
#endif
  for (unsigned i = 0; i < choice->count; i++) {
    if (!may_launch(choice, i, grid))
      continue;
    set_carveout(cu, choice, i, grid);
    if (cu->cuLaunchKernel(choice->versions[i].function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                           choice->versions[i].dynamic, stream, arguments, NULL))
      return 0;
    if (__builtin_expect(known == SAY, 0))
      say_version(stub, choice, (int)choice->versions[i].number);
    return 1;
  }
  if (__builtin_expect(known == SAY, 0))
    say_version(stub, choice, 0);
  return 0;
}

// In place of cudaLaunchKernel in a launch stub.
Status __warpwise_launch(const void *symbol, Dim3 grid, Dim3 block, void **arguments, size_t shared, Stream stream,
                         Stub *stub) {
  if (launch_version(stub, symbol, grid, block, arguments, shared, stream))
    return 0;
  return cudaLaunchKernel(symbol, grid, block, arguments, shared, stream);
}

// In place of cudaLaunchKernel_ptsz, for which no stream is the thread's own.
Status __warpwise_launch_ptsz(const void *symbol, Dim3 grid, Dim3 block, void **arguments, size_t shared, Stream stream,
                              Stub *stub) {
  Stream named = stream ? stream : (Stream)(uintptr_t)STREAM_PER_THREAD;
  if (launch_version(stub, symbol, grid, block, arguments, shared, named))
    return 0;
  return cudaLaunchKernel_ptsz(symbol, grid, block, arguments, shared, stream);
}
