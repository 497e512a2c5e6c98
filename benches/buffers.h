// Buffers that kernels under test read and write: random words, random floats in [-1, 1), and room for results. Whoever
// includes this has defined WORDS, the number of elements of each.

#pragma once

#include <cstdio>
#include <cstdlib>
#include <vector>

static void require(cudaError_t status, const char *what) {
  if (status == cudaSuccess)
    return;
  std::printf("%s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

static unsigned *in, *out;
static float *reals, *real_out;

static void fill() {
  std::vector<unsigned> words(WORDS);
  std::vector<float> floats(WORDS);
  unsigned v = 1;
  for (int i = 0; i < WORDS; i++) {
    v = v * 1664525 + 1013904223;
    words[i] = v ^ v >> 13;
    floats[i] = (int)words[i] * 0x1p-31f;
  }
  require(cudaMalloc(&in, 4 * WORDS), "memory");
  require(cudaMalloc(&out, 4 * WORDS), "memory");
  require(cudaMalloc(&reals, 4 * WORDS), "memory");
  real_out = (float *)out;
  require(cudaMemcpy(in, words.data(), 4 * WORDS, cudaMemcpyHostToDevice), "copy");
  require(cudaMemcpy(reals, floats.data(), 4 * WORDS, cudaMemcpyHostToDevice), "copy");
}

// A hash of what is in `out`.
static unsigned long long hash_of_results() {
  static std::vector<unsigned> words(WORDS);
  require(cudaMemcpy(words.data(), out, 4 * WORDS, cudaMemcpyDeviceToHost), "copy back");
  unsigned long long hash = 14695981039346656037ull;
  for (unsigned word : words)
    hash = (hash ^ word) * 1099511628211ull;
  return hash;
}
