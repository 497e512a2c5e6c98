// Bottom-up merge sort of 64 keys a thread: a step takes the next key from the left run or from the right one.
//@ launch grid=528 block=128
//@ arg keys inout i32[64*threads] range(-100000,100000,1)
//@ arg scratch out i32[64*threads]
//@ small grid=1 block=64
//@ also map

constexpr int N = 64;

// Element i of thread t lies at i * threads + t, so that a warp's accesses fall together.
extern "C" __global__ void merge_sort_plain(int *keys, int *scratch) {
  int all = gridDim.x * blockDim.x, t = blockIdx.x * blockDim.x + threadIdx.x;
  int *from = keys + t, *to = scratch + t;
  for (int run = 1; run < N; run *= 2) {
    for (int lo = 0; lo < N; lo += 2 * run) {
      int i = lo, j = lo + run, mid = j, hi = lo + 2 * run;
      for (int k = lo; k < hi; k++) {
        if (i < mid && (j >= hi || from[i * all] <= from[j * all])) {
          to[k * all] = from[i * all];
          i++;
        } else {
          to[k * all] = from[j * all];
          j++;
        }
      }
    }
    int *swap = from;
    from = to;
    to = swap;
  }
}

extern "C" __global__ void merge_sort_by_hand(int *keys, int *scratch) {
  int all = gridDim.x * blockDim.x, t = blockIdx.x * blockDim.x + threadIdx.x;
  int *from = keys + t, *to = scratch + t;
  for (int run = 1; run < N; run *= 2) {
    for (int lo = 0; lo < N; lo += 2 * run) {
      int i = lo, j = lo + run, mid = j, hi = lo + 2 * run;
      for (int k = lo; k < hi; k++) {
        bool first = i < mid && (j >= hi || from[i * all] <= from[j * all]);
        int at = first ? i : j;
        to[k * all] = from[at * all];
        i += first;
        j += !first;
      }
    }
    int *swap = from;
    from = to;
    to = swap;
  }
}
