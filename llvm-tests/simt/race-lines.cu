// A race names the element and the lines of both accesses, and the kernel by its name in the source.
//
// RUN: %not %warpwise simt %s -k shift --block 64 --arg 'i32[64]:iota' --race 2>&1 | %FileCheck %s
// CHECK: race on shared memory, tile[{{[0-9]+}}] at 0x{{[0-9a-f]+}}: write by thread {{[0-9]+}} at {{.*}}race-lines.cu:10:{{[0-9]+}}, then read without a synchronisation between
// CHECK-NEXT: kernel shift, block (0,0,0), thread
// CHECK: at {{.*}}race-lines.cu:9:
__global__ void shift(int *out) {
  __shared__ int tile[64];
  out[threadIdx.x] = tile[63 - threadIdx.x];
  tile[threadIdx.x] = out[threadIdx.x] + 7;
  __syncthreads();
  out[threadIdx.x] += tile[threadIdx.x ^ 1];
}
