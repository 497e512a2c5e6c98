// π as the integral of 4/(1+x²) over [0,1], by directives. (After the OpenACC course of WSCAD 2019, in our own words.)
#include <math.h>
#include <stdio.h>

static double pi(int n) {
  double sum = 0.0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(tofrom : sum)
  for (int i = 0; i < n; ++i) {
    double x = (i + 0.5) / n;
    sum += 4.0 / (1.0 + x * x);
  }
  return sum / n;
}

int main(void) {
  double got = pi(1000000);
  printf("pi: %.12f\n", got);
  return fabs(got - 3.14159265358979323846) > 1e-9;
}
