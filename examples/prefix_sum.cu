// Prefix sums of one block, two ways: `scan_steps` (Hillis and Steele) and `scan_tree` (Blelloch).
//
// Both halve or double a distance in a loop whose trip count is uniform; the branch in it compares the thread's index
// with that distance. `scan_steps` does n log n additions, its guards split at most one warp, and its shared accesses
// are free of bank conflicts. `scan_tree` does 2n additions, but thread t touches element 2*d*(t+1)-1: for d = 16 the
// lanes are 32 words apart and all 32 meet in one bank. The divergent guard `t < active` leaves fewer and fewer warps.
// (M. Alfaro Vigo and S. Rossetto's course on CUDA, SBMAC 2016, in our own words.)
//
// Without arguments: runs on the GPU and checks against the CPU.
//
// simt: --kernel scan_steps --grid 2 --block 128 --arg i32[256]:fill:1 --arg i32[256]:zero
// expect: 1[0] = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
// simt: --kernel scan_tree --grid 2 --block 64 --arg i32[256]:fill:1 --arg i32[256]:zero
// expect: 1[0] = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15

#include "check.h"

constexpr int Size = 128; // elements a block

// Inclusive: out[i] = in[0] + … + in[i], one element a thread.
extern "C" __global__ void scan_steps(const int *in, int *out) {
  __shared__ int buffer[2][Size];
  int t = threadIdx.x, turn = 0;
  buffer[0][t] = in[blockIdx.x * Size + t];
  for (int distance = 1; distance < Size; distance *= 2) {
    __syncthreads();
    int value = buffer[turn][t];
    if (t >= distance)
      value += buffer[turn][t - distance];
    turn ^= 1;
    buffer[turn][t] = value;
  }
  out[blockIdx.x * Size + t] = buffer[turn][t];
}

// Exclusive: out[i] = in[0] + … + in[i-1], two elements a thread; up the tree, then down.
extern "C" __global__ void scan_tree(const int *in, int *out) {
  __shared__ int tree[Size];
  int t = threadIdx.x, base = blockIdx.x * Size, distance = 1;
  tree[t] = in[base + t];
  tree[t + Size / 2] = in[base + t + Size / 2];
  for (int active = Size / 2; active > 0; active /= 2, distance *= 2) {
    __syncthreads();
    if (t < active)
      tree[2 * distance * (t + 1) - 1] += tree[distance * (2 * t + 1) - 1];
  }
  __syncthreads();
  if (t == 0)
    tree[Size - 1] = 0;
  for (int active = 1; active < Size; active *= 2) {
    distance /= 2;
    __syncthreads();
    if (t < active) {
      int left = distance * (2 * t + 1) - 1, right = 2 * distance * (t + 1) - 1;
      int value = tree[left];
      tree[left] = tree[right];
      tree[right] += value;
    }
  }
  __syncthreads();
  out[base + t] = tree[t];
  out[base + t + Size / 2] = tree[t + Size / 2];
}

int main() {
  const int blocks = 50, n = blocks * Size;
  std::vector<int> in(n), inclusive(n), exclusive(n);
  for (int i = 0; i < n; ++i) {
    in[i] = i * 7 % 31 - 15;
    exclusive[i] = i % Size ? inclusive[i - 1] : 0;
    inclusive[i] = exclusive[i] + in[i];
  }
  Device<int> deviceIn(in), first(n), second(n);
  scan_steps<<<blocks, Size>>>(deviceIn, first);
  finish("scan_steps");
  expect("scan_steps", first.host(), inclusive);
  scan_tree<<<blocks, Size / 2>>>(deviceIn, second);
  finish("scan_tree");
  expect("scan_tree", second.host(), exclusive);
}
