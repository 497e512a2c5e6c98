// Eleven queens by backtracking with bit masks; every thread has the first two rows given. A step either goes down a
// row or back up, and both move the same few values.
//@ launch grid=264 block=128
//@ arg out out u32[threads]
//@ arg n i32 11
//@ small grid=1 n=6
//@ also map

extern "C" __global__ __launch_bounds__(128)
void nqueens_plain(unsigned *out, int n) {
  __shared__ unsigned left[12][128], right[12][128], column[12][128], open[12][128];
  int t = blockIdx.x * blockDim.x + threadIdx.x, me = threadIdx.x, row = 2;
  unsigned all = (1u << n) - 1, a = 1u << t % n, b = 1u << t / n % n, count = 0;
  bool fits = !(b & (a | a << 1 | a >> 1));
  column[2][me] = a | b;
  left[2][me] = a << 2 | b << 1;
  right[2][me] = a >> 2 | b >> 1;
  open[2][me] = fits ? all & ~(column[2][me] | left[2][me] | right[2][me]) : 0;
  while (row >= 2) {
    unsigned places = open[row][me];
    if (places) {
      unsigned q = places & (0u - places);
      open[row][me] = places ^ q;
      if (row + 1 == n) {
        count++;
      } else {
        unsigned c = column[row][me] | q, l = (left[row][me] | q) << 1, r = (right[row][me] | q) >> 1;
        row++;
        column[row][me] = c;
        left[row][me] = l;
        right[row][me] = r;
        open[row][me] = all & ~(c | l | r);
      }
    } else {
      row--;
    }
  }
  out[t] = count;
}
