// A histogram of bytes, by directives. (After the OpenACC course of WSCAD 2019, in our own words.)
#include <stdio.h>

enum { N = 100000, Bins = 256 };
static unsigned char data[N];
static int bins[Bins], want[Bins];

static void count(void) {
#pragma omp target teams distribute parallel for map(to : data) map(tofrom : bins)
  for (int i = 0; i < N; ++i) {
#pragma omp atomic
    ++bins[data[i]];
  }
}

int main(void) {
  for (int i = 0; i < N; ++i)
    ++want[data[i] = i * 2654435761u >> 24];
  count();
  for (int i = 0; i < Bins; ++i)
    if (bins[i] != want[i])
      return printf("histogram: bin %d holds %d, not %d\n", i, bins[i], want[i]), 1;
  printf("histogram: %d bins as expected\n", Bins);
  return 0;
}
