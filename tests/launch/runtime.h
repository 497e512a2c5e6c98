// What the stand-in for the CUDA runtime is told, and what it has counted.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct {
  unsigned x, y, z;
} Dim3;

// As much of cudaLaunchConfig_t as is read.
typedef struct {
  Dim3 grid, block;
  size_t dynamic;
  void *stream;
} LaunchConfig;

extern struct Fake {
  uint64_t table[600], words; // of "k$versions", or of "k$tuning"
  int has_table, is_tuning;
  unsigned long long context; // 0: none is current
  int is_capturing, is_relaxed, limit, cluster, lacks_functions, refuses_kernel, prints;
  int blocks;                    // that fit of a version, unless negative
  const char *missing, *failing; // names of functions
  int look_ups, of_kernel, of_version;
  int times[7];         // microseconds that the kernel and its alternatives take, and by how much that varies
  int noise;            // at random, and
  int wave;             // for 60 launches each: 0, wave, 2 wave, and again
  int awaited, is_late; // events that were recorded; whether none happens
} fake;
