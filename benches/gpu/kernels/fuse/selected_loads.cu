// Two sides that walk two different arrays, with a chain of dependent loads each.
//@ launch grid=1056 block=256
//@ arg left in i32[65536] perm(1)
//@ arg right in i32[65536] perm(2)
//@ arg out out i32[threads]
//@ arg iters i32 100
//@ small grid=2 iters=8

extern "C" __global__ void selected_loads_plain(const int *left, const int *right, int *out, int iters) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, at = t & 65535, sum = 0;
  for (int i = 0; i < iters; i++) {
    if (at & 1) {
      int next = left[at];
      sum += left[(next + 1) & 65535] * 3;
      at = next;
    } else {
      int next = right[at];
      sum -= right[(next + 5) & 65535] * 7;
      at = next;
    }
  }
  out[t] = sum;
}

extern "C" __global__ void selected_loads_by_hand(const int *left, const int *right, int *out, int iters) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, at = t & 65535, sum = 0;
  for (int i = 0; i < iters; i++) {
    bool c = at & 1;
    const int *list = c ? left : right;
    int next = list[at];
    sum += list[(next + (c ? 1 : 5)) & 65535] * (c ? 3 : -7);
    at = next;
  }
  out[t] = sum;
}
