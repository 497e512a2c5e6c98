// What the examples need on the host: buffers on the device, one way to fail, one way to compare.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

inline void require(cudaError_t status, const char *what) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "error: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
  }
}

// After a launch: was it possible, and did it end well?
inline void finish(const char *kernel) {
  require(cudaGetLastError(), kernel);
  require(cudaDeviceSynchronize(), kernel);
}

// An array on the device, made from one on the host; `host()` copies it back.
template <class T> class Device {
  T *data_;
  std::size_t size_;

public:
  explicit Device(const std::vector<T> &from) : size_(from.size()) {
    require(cudaMalloc(&data_, size_ * sizeof(T)), "cudaMalloc");
    require(cudaMemcpy(data_, from.data(), size_ * sizeof(T), cudaMemcpyHostToDevice), "copy to the device");
  }
  explicit Device(std::size_t size) : Device(std::vector<T>(size)) {}
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;
  ~Device() { cudaFree(data_); }

  operator T *() { return data_; }
  std::vector<T> host() const {
    std::vector<T> copy(size_);
    require(cudaMemcpy(copy.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost), "copy from the device");
    return copy;
  }
};

// Ends the program at the first element that is off by more than `tolerance` (absolute).
template <class T>
void expect(const char *kernel, const std::vector<T> &got, const std::vector<T> &want, double tolerance = 0) {
  for (std::size_t i = 0; i < want.size(); ++i)
    if (!(std::fabs(double(got[i]) - double(want[i])) <= tolerance)) {
      std::fprintf(stderr, "error: %s: element %zu is %g, not %g\n", kernel, i, double(got[i]), double(want[i]));
      std::exit(1);
    }
  std::printf("%s: %zu elements as expected\n", kernel, want.size());
}
