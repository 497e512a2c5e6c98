// Remarks speak of the user's sources: inlined code of others at the line that calls it, kernels of others not at all, and
// what a template's instances repeat once.
//
// DEFINE: %{flags} = -I %S/Inputs/cuda/include -Rpass-analysis=warpwise -S -o /dev/null
// RUN: %clang_cuda %s %{flags} 2>&1 | %FileCheck %s --check-prefix=OWN --implicit-check-not=remark:
// RUN: %clang_cuda %s %{flags} -mllvm -warpwise-remarks=own 2>&1 | %FileCheck %s --check-prefix=OWN --implicit-check-not=remark:
// RUN: %clang_cuda %s %{flags} -mllvm -warpwise-remarks=all 2>&1 | %FileCheck %s --check-prefix=ALL --implicit-check-not=remark:
// RUN: %clang_cuda %s %{flags} -mllvm -warpwise-remarks=%S/Inputs 2>&1 | %FileCheck %s --check-prefix=UNDER --implicit-check-not=remark:
// RUN: %not %clang_cuda %s %{flags} -mllvm -warpwise-remarks= 2>&1 | %FileCheck %s --check-prefix=EMPTY
// EMPTY: takes a path, but has none

#include "library.cuh"

__global__ void mine(float *p) { put(p, threadIdx.x); }
template <typename T> __global__ void twice(float *p, T x) { p[4 * threadIdx.x] = x; }
template __global__ void twice(float *, int);
template __global__ void twice(float *, float);
template __global__ void of_library(float *);

// OWN-DAG: whose.cu:[[#@LINE-6]]:34: remark: lanes 32 bytes apart{{.*}}; in put, library.cuh:2 [
// OWN-DAG: whose.cu:[[#@LINE-6]]:{{[0-9]+}}: remark: lanes 16 bytes apart{{.*}}; 2 times here [
// ALL-DAG: library.cuh:2:{{[0-9]+}}: remark: lanes 32 bytes apart
// ALL-DAG: library.cuh:3:{{[0-9]+}}: remark: lanes 64 bytes apart
// ALL-DAG: whose.cu:[[#@LINE-9]]:{{[0-9]+}}: remark: lanes 16 bytes apart
// ALL-DAG: whose.cu:[[#@LINE-10]]:{{[0-9]+}}: remark: lanes 16 bytes apart
// UNDER-DAG: library.cuh:2:{{[0-9]+}}: remark: lanes 32 bytes apart
// UNDER-DAG: library.cuh:3:{{[0-9]+}}: remark: lanes 64 bytes apart
