/* Control flow that passes like to rewrite: loops without a block before them, exits that are shared, a switch in a loop,
 * a loop with two ways in. No header is included, so that it compiles for any target. */
int of_kind(const int *a, int n) {
  int s = 0, i;
  for (i = 0; i < n; i++) {
    switch (a[i] & 7) {
    case 0:
      s += 3;
      break;
    case 1:
      continue;
    case 2:
      if (a[i] > 9)
        goto out;
      s *= 3;
      break;
    case 5:
      return s;
    default:
      s ^= a[i];
    }
    while (s > 100) {
      s /= 3;
      if (s == 50)
        break;
    }
  }
out:
  return s;
}

void product(const float *a, const float *b, float *c, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float s = 0;
      for (int k = 0; k < n; k++) {
        if (b[k * n + j] == 0)
          continue;
        s += a[i * n + k] * b[k * n + j];
      }
      c[i * n + j] = s > 0 ? s : -s;
    }
}

int two_ways_in(int x, int n) {
  int i = 0;
  if (x)
    goto second;
first:
  i += x;
  if (i > n)
    return i;
second:
  i++;
  x *= 3;
  if (x & 1)
    goto first;
  if (i < n)
    goto second;
  return x;
}

int arms(const int *a, int n, int m, int odd) {
  int s = 1;
  if (odd)
    for (int i = 0; i < n; i++)
      s = s * 3 + a[i];
  else
    for (int i = 0; i < m; i++)
      s = s * 5 + a[i];
  return s;
}
