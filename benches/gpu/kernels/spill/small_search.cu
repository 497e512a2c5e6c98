// A breadth-first search per thread over a ring of 24 nodes with chords: a queue of words and marks of bytes.
//@ launch grid=1056 block=128
//@ arg chord in i32[65536] range(1,23,1)
//@ arg out out i32[threads]
//@ arg starts i32 12
//@ small grid=2 starts=2
//@ also map

constexpr int NODES = 24;

extern "C" __global__ __launch_bounds__(128)
void small_search_plain(const int *chord, int *out, int starts) {
  int queue[NODES];
  unsigned char depth[NODES];
  int t = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  for (int s = 0; s < starts; s++) {
    for (int i = 0; i < NODES; i++) depth[i] = 255;
    int head = 0, tail = 1, start = (t + s) % NODES;
    queue[0] = start;
    depth[start] = 0;
    while (head < tail) {
      int at = queue[head++], reach = chord[(t * 24 + at) & 65535];
      for (int e = 0; e < 3; e++) {
        int to = (at + (e == 0 ? 1 : e == 1 ? NODES - 1 : reach)) % NODES;
        if (depth[to] == 255) {
          depth[to] = depth[at] + 1;
          queue[tail++] = to;
        }
      }
    }
    for (int i = 0; i < NODES; i++) sum = sum * 5 + depth[i];
  }
  out[t] = sum;
}
