// Distinct keys per window of a stream: each thread fills a set with open addressing and empties it when nearly full.
//@ launch grid=1320 block=96
//@ arg stream in u32[threads+4096] range(0,1<<32,1)
//@ arg out out u32[threads*3]
//@ arg count i32 300
//@ arg universe u32 40
//@ small grid=1 count=60

constexpr int SLOTS = 32, FULL = 24;

extern "C" __global__ void hash_distinct_plain(const unsigned *stream, unsigned *out, int count, unsigned universe) {
  int table[SLOTS];
  int t = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  for (int i = 0; i < SLOTS; i++) table[i] = -1;
  int used = 0, flushes = 0;
  unsigned repeats = 0, sum = 0;
  for (int i = 0; i < count; i++) {
    int key = stream[t + (i * 61 & 4095)] % universe;
    unsigned slot = (key * 2654435761u) >> 27;
    while (table[slot] != -1 && table[slot] != key) slot = (slot + 1) % SLOTS;
    if (table[slot] == key) {
      repeats++;
      continue;
    }
    table[slot] = key;
    if (++used == FULL) {
      for (int s = 0; s < SLOTS; s++) {
        if (table[s] >= 0) sum = sum * 31 + table[s];
        table[s] = -1;
      }
      used = 0;
      flushes++;
    }
  }
  out[t] = repeats;
  out[threads + t] = flushes * FULL + used;
  out[2 * threads + t] = sum;
}
