// A block partitions its keys by their lowest bit and the two parts are then combed at once, upwards by one half of
// the lanes and downwards by the other: two loops as the sides of one branch.
//@ launch grid=1056 block=256
//@ arg keys in i32[threads] range(0,1000000,1)
//@ arg out out i32[threads]
//@ small grid=2
//@ also map

extern "C" __global__ __launch_bounds__(256)
void concurrent_merge_plain(const int *keys, int *out) {
  __shared__ int key[256], place[256];
  int me = threadIdx.x, t = blockIdx.x * 256 + me, mine = keys[t];
  key[me] = mine;
  __syncthreads();
  int at = 0;
  if (mine & 1) {
    // Odd ones go to the end, descending: count who comes after.
    for (int i = 0; i < 256; i++) {
      int other = key[i];
      if ((other & 1) && (other < mine || (other == mine && i < me))) at++;
    }
    at = 255 - at;
  } else {
    // Even ones come first, ascending: count who comes before.
    for (int i = 0; i < 256; i++) {
      int other = key[i];
      if (!(other & 1) && (other < mine || (other == mine && i < me))) at++;
    }
  }
  place[at] = mine;
  __syncthreads();
  out[t] = place[me];
}

extern "C" __global__ __launch_bounds__(256)
void concurrent_merge_by_hand(const int *keys, int *out) {
  __shared__ int key[256], place[256];
  int me = threadIdx.x, t = blockIdx.x * 256 + me, mine = keys[t];
  key[me] = mine;
  __syncthreads();
  int at = 0;
  for (int i = 0; i < 256; i++) {
    int other = key[i];
    if ((other & 1) == (mine & 1) && (other < mine || (other == mine && i < me))) at++;
  }
  place[mine & 1 ? 255 - at : at] = mine;
  __syncthreads();
  out[t] = place[me];
}
