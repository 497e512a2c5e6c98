// The report names members of records as the source does, and subtracts where the source does. An index that is cut off at
// the end of an array leaves lanes side by side: no advice.
//
// RUN: %warpwise report --inventory %s | %FileCheck %s
// RUN: %warpwise report --json %s | %FileCheck %s --check-prefix=JSON

struct Size { int x, y; };
struct Grid { Size size; float spacing; };
struct Job { int first, count; float weight; };
struct Field { float *data; int pitch; };

// CHECK: kernel laplace at
// CHECK: branch diverges: `{{.*}} && {{.*}}` depends on threadIdx.x; uniform if gridDim.x * blockDim.x <= g.size.x and gridDim.y * blockDim.y <= g.size.y
// CHECK: memory accesses: {{[0-9]+}}, to look at:
// CHECK: `in.data[
__global__ void laplace(Field out, Field in, Grid g, const int *order) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= g.size.x || y >= g.size.y) return;
  out.data[y * out.pitch + x] = in.data[order[y * in.pitch + x]] * g.spacing;
}

// CHECK: kernel work at
// CHECK: jobs[blockIdx.x].count
// CHECK-NOT: bytes)
__global__ void work(const Job *jobs, float *out) {
  if (threadIdx.x < jobs[blockIdx.x].count) out[jobs[blockIdx.x].first + threadIdx.x] = jobs[blockIdx.x].weight;
}

// CHECK: kernel cut_off at
// CHECK: memory accesses: {{[0-9]+}}, none found costly
// JSON: neighbouring lanes at neighbouring elements, except where the index is cut off or wraps
// CHECK-NOT: sort the list
__global__ void cut_off(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = in[min(i + 1, n - 1)] + in[min(i + 2, n - 1)];
  if (i < n) out[i] = sum;
}
