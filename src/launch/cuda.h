// What does launch.c use of the CUDA runtime and of the driver? Declared here, so that no header of CUDA is needed.
#pragma once

#include <stddef.h>

typedef struct {
  unsigned x, y, z;
} Dim3;
typedef struct Handle *Function, *Module, *Stream, *Event;
typedef int Status; // of the runtime and of the driver: 0 is success

#define WEAK __attribute__((weak))
Status cudaLaunchKernel(const void *, Dim3, Dim3, void **, size_t, Stream);
Status cudaLaunchKernel_ptsz(const void *, Dim3, Dim3, void **, size_t, Stream);
// Weak, because no version of the runtime promises all of them: without them, kernels are launched as they are.
WEAK Status cudaGetFuncBySymbol(Function *, const void *);
WEAK Status cudaPeekAtLastError(void);
WEAK Status cudaGetLastError(void);
WEAK Status cudaGetDriverEntryPoint(const char *, void **, unsigned long long, int *);
WEAK Status cudaGetDriverEntryPointByVersion(const char *, void **, unsigned, unsigned long long, int *);

enum {
  DRIVER_VERSION = 12000,        // of the driver functions below
  STREAM_PER_THREAD = 2,         // handle of a thread's default stream
  STREAM_NON_BLOCKING = 1,       // cuStreamCreate: work does not wait for the default stream
  CAPTURE_RELAXED = 2,           // CU_STREAM_CAPTURE_MODE_RELAXED
  STATIC_SHARED = 1,             // CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES
  MAX_DYNAMIC_SHARED = 8,        // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
  PREFERRED_CARVEOUT = 9,        // CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, in percent
  REQUIRED_CLUSTER = 11,         // CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH; height and depth follow
  MULTIPROCESSORS = 16,          // CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
  CAPABILITY_MAJOR = 75,         // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
  CAPABILITY_MINOR = 76,         // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR
  SHARED_OF_MULTIPROCESSOR = 81, // CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
  RESERVED_SHARED = 111,         // CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK
  NOT_READY = 600,               // CUDA_ERROR_NOT_READY
};

typedef struct {
  Status (*cuCtxGetId)(void *, unsigned long long *);
  Status (*cuStreamIsCapturing)(Stream, int *);
  Status (*cuLaunchKernel)(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream,
                           void **, void **);
  Status (*cuThreadExchangeStreamCaptureMode)(int *);
  Status (*cuFuncGetModule)(Module *, Function);
  Status (*cuModuleGetGlobal)(unsigned long long *, size_t *, Module, const char *);
  Status (*cuModuleGetFunction)(Function *, Module, const char *);
  Status (*cuStreamCreate)(Stream *, unsigned);
  Status (*cuMemcpyDtoHAsync)(void *, unsigned long long, size_t, Stream);
  Status (*cuStreamSynchronize)(Stream);
  Status (*cuStreamDestroy)(Stream);
  Status (*cuFuncGetAttribute)(int *, int, Function);
  Status (*cuFuncSetAttribute)(Function, int, int);
  Status (*cuOccupancyMaxActiveBlocksPerMultiprocessor)(int *, Function, int, size_t);
  Status (*cuCtxGetDevice)(int *);
  Status (*cuDeviceGetAttribute)(int *, int, int);
#ifdef WARPWISE_TUNE
  Status (*cuEventCreate)(Event *, unsigned);
  Status (*cuEventRecord)(Event, Stream);
  Status (*cuEventQuery)(Event);
  Status (*cuEventElapsedTime)(float *, Event, Event);
#endif
} Driver;

// In the order of the members.
static const char *const driver_names[] = {
    "cuCtxGetId",          "cuStreamIsCapturing",
    "cuLaunchKernel",      "cuThreadExchangeStreamCaptureMode",
    "cuFuncGetModule",     "cuModuleGetGlobal",
    "cuModuleGetFunction", "cuStreamCreate",
    "cuMemcpyDtoHAsync",   "cuStreamSynchronize",
    "cuStreamDestroy",     "cuFuncGetAttribute",
    "cuFuncSetAttribute",  "cuOccupancyMaxActiveBlocksPerMultiprocessor",
    "cuCtxGetDevice",      "cuDeviceGetAttribute",
#ifdef WARPWISE_TUNE
    "cuEventCreate",       "cuEventRecord",
    "cuEventQuery",        "cuEventElapsedTime",
#endif
};
enum { DRIVER_FUNCTIONS = sizeof driver_names / sizeof *driver_names };
_Static_assert(sizeof(Driver) == DRIVER_FUNCTIONS * sizeof(void *), "a name for each member");
