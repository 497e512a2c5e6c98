// How many of the branches called divergent never split, and how many of these are uniform by a condition that held in all of
// the launches? The bounds check of `whole` is never failed; in one of two launches of `partly` it is, in the middle of a warp.
// RUN: %warpwise map precision %s | %FileCheck %s
// RUN: %warpwise map precision --json %s | %FileCheck %s --check-prefix=JSON
// CHECK: affine: uniform by a condition that held | left | of these never split |
// CHECK: | whole | 1 | 0 | 1 | 1 (100 %) | 0 | {{.*}} | 1 | 0 | 0 (0 %) |
// CHECK: | partly | 1 | 1 | 1 | 0 (0 %) | 0 | {{.*}} | 0 | 1 | 0 (0 %) |
// CHECK: | all | 2 | 1 | 2 | 1 (50 %) | 0 | {{.*}} | 1 | 1 | 0 (0 %) |
// JSON: "name": "whole",
// JSON: "uniform_as_launched": 1,
// JSON-NEXT: "split_against_condition": 0
// JSON: "name": "partly",
// JSON: "uniform_as_launched": 0,
// JSON-NEXT: "split_against_condition": 0

// simt: --kernel whole --grid 2 --block 64 --arg f32[128]:iota --arg i32:128
extern "C" __global__ void whole(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] += 1;
}

// simt: --kernel partly --grid 2 --block 64 --arg f32[128]:iota --arg i32:128
// simt: --kernel partly --grid 2 --block 64 --arg f32[128]:iota --arg i32:97
extern "C" __global__ void partly(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] += 1;
}
