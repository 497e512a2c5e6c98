// The sixteen smallest keys of a stream, kept by each thread in a heap with the largest on top.
//@ launch grid=528 block=256
//@ arg keys in u32[threads+8192] range(0,1<<32,1)
//@ arg out out u32[threads*16]
//@ arg count i32 512
//@ small grid=1 count=48
//@ also map

constexpr int K = 16;

extern "C" __global__ __launch_bounds__(256)
void priority_queue_plain(const unsigned *keys, unsigned *out, int count) {
  unsigned heap[K];
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < K; i++) heap[i] = 0xffffffffu;
  for (int i = 0; i < count; i++) {
    unsigned key = keys[t + (i * 97 & 8191)];
    if (key >= heap[0]) continue;
    int at = 0;
    for (;;) {
      int child = 2 * at + 1;
      if (child >= K) break;
      if (child + 1 < K && heap[child + 1] > heap[child]) child++;
      if (heap[child] <= key) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = key;
  }
  for (int i = 0; i < K; i++) out[i * gridDim.x * blockDim.x + t] = heap[i];
}

extern "C" __global__ __launch_bounds__(256)
void priority_queue_by_hand(const unsigned *keys, unsigned *out, int count) {
  __shared__ unsigned heap[K][256];
  int t = blockIdx.x * blockDim.x + threadIdx.x, me = threadIdx.x;
  for (int i = 0; i < K; i++) heap[i][me] = 0xffffffffu;
  for (int i = 0; i < count; i++) {
    unsigned key = keys[t + (i * 97 & 8191)];
    if (key >= heap[0][me]) continue;
    int at = 0;
    for (;;) {
      int child = 2 * at + 1;
      if (child >= K) break;
      if (child + 1 < K && heap[child + 1][me] > heap[child][me]) child++;
      if (heap[child][me] <= key) break;
      heap[at][me] = heap[child][me];
      at = child;
    }
    heap[at][me] = key;
  }
  for (int i = 0; i < K; i++) out[i * gridDim.x * blockDim.x + t] = heap[i][me];
}
