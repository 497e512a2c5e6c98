// Do launches compute the same with versions of kernels as without, and what do they cost? Run by `DIR/run`, which
// scripts/versions makes.
//
//   results    launches kernels in every way that host code has, and prints a hash of what each launch computes
//   times      prints milliseconds of kernels, and nanoseconds that a launch takes on the host

#include "../gpu/kernels/spill/hash_distinct.cu"
#include "../gpu/kernels/spill/lorenz96_rk4.cu"
#include "../gpu/kernels/spill/median5x5.cu"
#include "../gpu/kernels/spill/nbody_tile4.cu"
#include "../gpu/kernels/spill/no_bound.cu"
#include "../gpu/kernels/spill/xorshift1024_pi.cu"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

void launch_of_other_unit(int blocks, int threads, const unsigned *in, unsigned *out, int n, cudaStream_t stream);

// A kernel that several units have.
template <class T> __global__ void stacked(const T *in, T *out, int n) {
  T stack[24];
  int i = blockIdx.x * blockDim.x + threadIdx.x, depth = 0;
  if (i >= n)
    return;
  T v = in[i];
  for (int k = 0; k < 200; k++) {
    v = v * 1664525 + 1013904223;
    if (depth < 24 && (v >> 16 & 1))
      stack[depth++] = v;
    else if (depth > 0) {
      v ^= stack[(v >> 20) % depth] + stack[depth - 1];
      depth--;
    }
  }
  out[i] = v;
}

// What a program asks of dynamic shared memory itself.
__global__ void rotated(const unsigned *in, unsigned *out, int n, int words) {
  extern __shared__ unsigned own[];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  unsigned ring[16];
  for (int k = t; k < words; k += blockDim.x)
    own[k] = in[(k * 7 + blockIdx.x) % n];
  for (int k = 0; k < 16; k++)
    ring[k] = in[(i + k) % n];
  __syncthreads();
  unsigned sum = 0;
  for (int k = 0; k < 300; k++) {
    unsigned at = (sum + k * 5) & 15;
    ring[at] = ring[at] * 31 + (words ? own[(ring[(at + 3) & 15] >> 5) % words] : k);
    sum += ring[(at * 3) & 15];
  }
  if (i < n)
    out[i] = sum;
}

constexpr int WORDS = 1 << 22;
#include "../buffers.h"

// Launches, waits, and prints a hash of what was written.
static void result(const std::string &name, const std::function<void()> &launch) {
  require(cudaMemset(out, 0, 4 * WORDS), "clear");
  require(cudaDeviceSynchronize(), "clear");
  launch();
  cudaError_t last = cudaGetLastError(), end = cudaDeviceSynchronize();
  unsigned long long hash = hash_of_results();
  std::printf("%s: %016llx %s %s\n", name.c_str(), hash, cudaGetErrorName(last), cudaGetErrorName(end));
}

static std::string text(dim3 block, size_t own) {
  char line[80];
  std::snprintf(line, sizeof line, " block %ux%ux%u own %zu", block.x, block.y, block.z, own);
  return line;
}

static void shapes() {
  for (dim3 block : {dim3(1), dim3(31), dim3(32), dim3(33), dim3(100), dim3(256), dim3(1024), dim3(1025), dim3(16, 16),
                     dim3(8, 4, 4), dim3(3, 5, 7), dim3(0)}) {
    result("hash_distinct" + text(block, 0), [&] { hash_distinct_plain<<<7, block>>>(in, out, 60, 40); });
    result("no_bound" + text(block, 0), [&] { no_bound_plain<<<7, block>>>(in, reals, real_out, 50); });
    result("median5x5" + text(block, 0), [&] { median5x5_plain<<<dim3(9, 9), block>>>(reals, real_out, 128, 128, 2); });
    result("lorenz96" + text(block, 0),
           [&] { lorenz96_rk4_plain<<<5, block>>>((double *)reals, (double *)out, 8, 4, 0.01, 8); });
    result("xorshift" + text(block, 0), [&] {
      xorshift1024_pi_plain<<<5, block>>>((unsigned long long *)in, out, (unsigned long long *)out + WORDS / 4, 40);
    });
    result("stacked" + text(block, 0), [&] { stacked<<<40, block>>>(in, out, 5000); });
    for (size_t own : {0, 4, 100, 1000, 49152, 49156, 100000, 232448})
      result("rotated" + text(block, own), [&] { rotated<<<9, block, own>>>(in, out, 5000, own / 4); });
  }
  for (int bytes : {60000, 232448, 100000}) {
    require(cudaFuncSetAttribute(rotated, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), "attribute");
    for (size_t own : {1000, 49156, 60000, 60004, 100000, 200000, 231000, 232448, 232452})
      result("rotated, limit raised" + text(256, own), [&] { rotated<<<9, 256, own>>>(in, out, 5000, own / 4); });
  }
  result("nbody", [&] { nbody_tile4_plain<<<9, 128, 2048>>>((float4 *)reals, real_out, real_out + WORDS / 2, 200, 0.001f); });
}

static void ways() {
  cudaStream_t stream;
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  result("other unit", [&] { launch_of_other_unit(9, 128, in, out, 1000, stream); });
  result("template", [&] { stacked<<<9, 64, 0, stream>>>((unsigned long long *)in, (unsigned long long *)out, 500); });
  auto pointer = stacked<unsigned>;
  result("pointer", [&] { pointer<<<9, 64>>>(in, out, 500); });
  int n = 500;
  void *arguments[] = {&in, &out, &n};
  result("cudaLaunchKernel", [&] { cudaLaunchKernel((void *)pointer, dim3(9), dim3(64), arguments, 0, stream); });
  result("cooperative", [&] { cudaLaunchCooperativeKernel((void *)pointer, dim3(9), dim3(64), arguments, 0, stream); });
  // a graph whose node is given another argument, and is asked for its kernel
  result("graph", [&] {
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "capture");
    pointer<<<9, 64, 0, stream>>>(in, out, 100);
    require(cudaStreamEndCapture(stream, &graph), "end of capture");
    cudaGraphNode_t node;
    size_t count = 1;
    require(cudaGraphGetNodes(graph, &node, &count), "nodes");
    cudaKernelNodeParams parameters;
    require(cudaGraphKernelNodeGetParams(node, &parameters), "parameters");
    parameters.kernelParams = arguments;
    require(cudaGraphKernelNodeSetParams(node, &parameters), "new parameters");
    require(cudaGraphInstantiate(&ready, graph, 0), "graph");
    require(cudaGraphLaunch(ready, stream), "launch");
  });
  // a first launch while another stream is captured
  result("beside a capture", [&] {
    cudaStream_t other;
    cudaGraph_t graph;
    require(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), "stream");
    require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "capture");
    stacked<<<9, 96, 0, other>>>((unsigned short *)in, (unsigned short *)out, 500);
    require(cudaStreamEndCapture(stream, &graph), "end of capture");
  });
  result("threads", [&] {
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; t++)
      threads.emplace_back([=] {
        cudaStream_t own;
        require(cudaStreamCreate(&own), "stream");
        for (int i = 0; i < 200; i++)
          stacked<<<4, 32 + 32 * (i % 5), 0, own>>>(in + 1000 * t, out + 1000 * t, 128);
        require(cudaStreamSynchronize(own), "thread");
      });
    for (std::thread &thread : threads)
      thread.join();
  });
  require(cudaDeviceReset(), "reset");
  fill();
  result("after a reset", [&] { stacked<<<9, 64>>>(in, out, 500); });
}

static void time_kernel(const char *name, const std::function<void()> &launch) {
  cudaEvent_t start, end;
  cudaEventCreate(&start), cudaEventCreate(&end);
  std::vector<float> all;
  for (int i = 0; i < 12; i++) {
    float ms = 0;
    cudaEventRecord(start);
    launch();
    cudaEventRecord(end);
    require(cudaEventSynchronize(end), name);
    cudaEventElapsedTime(&ms, start, end);
    all.push_back(ms);
  }
  std::sort(all.begin(), all.end());
  std::printf("%s %.4f ms\n", name, all[3]);
}

// Nanoseconds on the host of a launch, the least of many short batches that fit into the queue.
static void time_launch(const char *name, const std::function<void()> &launch) {
  double least = 1e9;
  for (int batch = 0; batch < 400; batch++) {
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 50; i++)
      launch();
    std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    least = std::min(least, time.count() / 50);
    cudaDeviceSynchronize();
  }
  std::printf("%s %.1f ns\n", name, least);
}

static void times() {
  time_kernel("hash_distinct", [] { hash_distinct_plain<<<1320, 96>>>(in, out, 300, 40); });
  time_kernel("no_bound", [] { no_bound_plain<<<2112, 128>>>(in, reals, real_out, 500); });
  time_kernel("median5x5", [] { median5x5_plain<<<dim3(32, 32), dim3(16, 16)>>>(reals, real_out, 512, 512, 3); });
  time_kernel("lorenz96", [] { lorenz96_rk4_plain<<<528, 256>>>((double *)reals, (double *)out, 8, 20, 0.01, 8); });
  time_kernel("xorshift", [] {
    xorshift1024_pi_plain<<<500, 192>>>((unsigned long long *)in, out, (unsigned long long *)out + WORDS / 4, 500);
  });
  time_kernel("nbody", [] {
    nbody_tile4_plain<<<1056, 128, 2048>>>((float4 *)reals, real_out, real_out + WORDS / 2, 1500, 0.001f);
  });
  time_kernel("stacked", [] { stacked<<<4096, 256>>>(in, out, 1 << 20); });
  time_kernel("rotated own 16K", [] { rotated<<<2048, 256, 16384>>>(in, out, 1 << 19, 4096); });
  cudaStream_t stream;
  require(cudaStreamCreate(&stream), "stream");
  int n = 0;
  void *arguments[] = {&in, &out, &n};
  auto kernel = stacked<unsigned>;
  time_launch("launch: cudaLaunchKernel", [&] { cudaLaunchKernel((void *)kernel, dim3(1), dim3(32), arguments, 0, stream); });
  time_launch("launch: <<<>>>", [&] { kernel<<<1, 32, 0, stream>>>(in, out, 0); });
  time_launch("launch: <<<>>>, 15 other blocks", [&] {
    static int turn;
    kernel<<<1, 32 + 32 * (turn++ & 15), 0, stream>>>(in, out, 0);
  });
}

int main(int argc, char **argv) {
  fill();
  if (argc > 1 && !std::strcmp(argv[1], "times"))
    return times(), 0;
  shapes();
  ways();
}
