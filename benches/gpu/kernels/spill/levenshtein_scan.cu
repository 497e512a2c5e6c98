// Edit distance of one query to a dictionary word per thread, one row of bytes, given up beyond a limit.
//@ launch grid=528 block=256
//@ arg words in u8[threads*32] range(97,101,1)
//@ arg lengths in u8[threads] range(8,33,2)
//@ arg query in u8[64] range(97,101,3)
//@ arg distance out i32[threads]
//@ arg query_length i32 60
//@ arg limit i32 11
//@ small grid=1 query_length=20

extern "C" __global__ __launch_bounds__(256)
void levenshtein_scan_plain(const unsigned char *words, const unsigned char *lengths, const unsigned char *query,
                            int *distance, int query_length, int limit) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned char *word = words + t * 32;
  int length = lengths[t];
  unsigned char row[65];
  for (int j = 0; j <= query_length; j++) row[j] = j;
  for (int i = 0; i < length; i++) {
    unsigned char c = word[i];
    int diagonal = row[0], left = i + 1, smallest = left;
    row[0] = left;
    for (int j = 0; j < query_length; j++) {
      int up = row[j + 1];
      int cost = diagonal + (c != query[j]);
      if (up + 1 < cost) cost = up + 1;
      if (left + 1 < cost) cost = left + 1;
      row[j + 1] = cost;
      diagonal = up;
      left = cost;
      if (cost < smallest) smallest = cost;
    }
    if (smallest > limit) {
      distance[t] = -1 - i;
      return;
    }
  }
  distance[t] = row[query_length];
}
