// Are alternatives of kernels the same bit by bit, and is the one that is chosen the fastest? Run by `DIR/run`, which
// scripts/tune-gpu makes. Launches three kernels again and again, each with two shapes of blocks, and prints a hash of
// what every launch has computed once, the number of different hashes, and the kernel's mean time in microseconds.

#include "../gpu/kernels/spill/hash_distinct.cu"
#include "../gpu/kernels/spill/median5x5.cu"
#include "../gpu/kernels/spill/no_bound.cu"
#include <cstdio>
#include <functional>
#include <set>

constexpr int WORDS = 1 << 20, LAUNCHES = 600;
#include "../buffers.h"

static void often(const char *name, const std::function<void()> &launch) {
  std::set<unsigned long long> hashes;
  cudaEvent_t start, end;
  require(cudaEventCreate(&start), "event");
  require(cudaEventCreate(&end), "event");
  double all = 0;
  for (int i = 0; i < LAUNCHES; i++) {
    float ms = 0;
    bool is_checked = i < 60 || i % 50 == 0;
    if (is_checked)
      require(cudaMemset(out, 0, 4 * WORDS), "clear");
    require(cudaEventRecord(start), "event");
    launch();
    require(cudaEventRecord(end), "event");
    require(cudaEventSynchronize(end), name);
    require(cudaEventElapsedTime(&ms, start, end), "time");
    all += i < LAUNCHES / 2 ? 0 : ms;
    if (!is_checked)
      continue;
    hashes.insert(hash_of_results());
  }
  std::printf("%s: %016llx %zu results\n", name, *hashes.begin(), hashes.size());
  std::fprintf(stderr, "%s %.3f us\n", name, all * 1000 / (LAUNCHES / 2));
}

int main() {
  fill();
  often("hash_distinct 128", [] { hash_distinct_plain<<<1056, 128>>>(in, out, 60, 40); });
  often("hash_distinct 256", [] { hash_distinct_plain<<<528, 256>>>(in, out, 60, 40); });
  often("no_bound 128", [] { no_bound_plain<<<2112, 128>>>(in, reals, real_out, 100); });
  often("no_bound 512", [] { no_bound_plain<<<528, 512>>>(in, reals, real_out, 100); });
  often("median5x5 16x16", [] { median5x5_plain<<<dim3(16, 16), dim3(16, 16)>>>(reals, real_out, 256, 256, 4); });
  often("median5x5 32x4", [] { median5x5_plain<<<dim3(8, 64), dim3(32, 4)>>>(reals, real_out, 256, 256, 4); });
}
