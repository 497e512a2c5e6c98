// Partitioning as quicksort does, each thread its own 48 keys: scans from both ends take turns, then the larger part is
// left and the smaller one goes on.
//@ launch grid=528 block=128
//@ arg keys inout i32[48*threads] range(-100000,100000,1)
//@ small grid=1 block=64
//@ also map

extern "C" __global__ void quick_sort_plain(int *keys) {
  int all = gridDim.x * blockDim.x, t = blockIdx.x * blockDim.x + threadIdx.x;
  int *key = keys + t, lo = 0, hi = 47;
  for (int rounds = 0; rounds < 12 && lo < hi; rounds++) {
    int pivot = key[(lo + hi) / 2 * all], i = lo, j = hi;
    bool upwards = true;
    while (i <= j) {
      if (upwards) {
        int k = key[i * all];
        if (k < pivot) i++;
        else upwards = false;
      } else {
        int k = key[j * all];
        if (k > pivot) {
          j--;
        } else {
          key[j * all] = key[i * all];
          key[i * all] = k;
          i++;
          j--;
          upwards = true;
        }
      }
    }
    if (j - lo < hi - i) {
      int n = j - lo;
      if (n > 0) hi = j;
      else lo = i;
    } else {
      int n = hi - i;
      if (n > 0) lo = i;
      else hi = j;
    }
  }
}
