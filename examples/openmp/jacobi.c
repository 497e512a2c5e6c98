// Laplace's equation by Jacobi's iteration, by directives. (After the OpenACC course of WSCAD 2019, in our own words.)
#include <math.h>
#include <stdio.h>

enum { N = 100, Sweeps = 40 };
static float from[N][N], to[N][N];

static float sweep(void) {
  float change = 0.0f;
#pragma omp target teams distribute parallel for collapse(2) reduction(max : change) map(tofrom : change, from, to)
  for (int y = 1; y < N - 1; ++y)
    for (int x = 1; x < N - 1; ++x) {
      to[y][x] = 0.25f * (from[y][x - 1] + from[y][x + 1] + from[y - 1][x] + from[y + 1][x]);
      change = fmaxf(change, fabsf(to[y][x] - from[y][x]));
    }
#pragma omp target teams distribute parallel for collapse(2) map(tofrom : from, to)
  for (int y = 1; y < N - 1; ++y)
    for (int x = 1; x < N - 1; ++x)
      from[y][x] = to[y][x];
  return change;
}

int main(void) {
  for (int x = 0; x < N; ++x)
    from[0][x] = 1.0f; // one wall is hot
  float change = 0.0f, last = 2.0f;
  for (int i = 0; i < Sweeps; ++i) {
    change = sweep();
    if (change > last)
      return 1; // it must settle
    last = change;
  }
  printf("jacobi: last change %g\n", change);
  return !(change > 0.0f && change < 0.01f);
}
