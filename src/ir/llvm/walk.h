// One function as arrays, for src/ir/import.rs. Reads only; decides nothing.
//
// Rust could ask LLVM's C API for every field, at some fifteen calls an instruction; that alone costs more than LLVM's
// own analysis. Here the fields are read inline and written to arrays in the layout that Rust has for them, in memory
// that Rust allocates and takes over.
#pragma once

#include "llvm-c/Types.h"
#include <cstddef>
#include <cstdint>

extern "C" {
// Allocates, or enlarges what was allocated; from src/ir/llvm/walk.rs. Does not return without memory.
void *warpwise_grow(void *old, size_t old_bytes, size_t new_bytes, size_t align);
void warpwise_release(void *old, size_t bytes, size_t align);
}

namespace warpwise {
// A growing array in memory of Rust's allocator; all zero when empty.
template <typename T> struct Rows {
  T *data;
  uint32_t size;
  uint32_t capacity;

  T *begin() { return data; }
  T *end() { return data + size; }
  // Room for so many more.
  void room(uint32_t More) {
    if (capacity - size < More)
      grow(More);
  }
  void push(T X) {
    room(1);
    data[size++] = X;
  }
  // Gives the memory back.
  void release() {
    if (capacity)
      warpwise_release(data, capacity * sizeof(T), alignof(T));
    *this = {nullptr, 0, 0};
  }

private:
  [[gnu::noinline]] void grow(uint32_t More) {
    uint32_t Wanted = capacity ? 2 * capacity : 8;
    Wanted = Wanted < size + More ? size + More : Wanted;
    data = static_cast<T *>(warpwise_grow(data, capacity * sizeof(T), Wanted * sizeof(T), alignof(T)));
    capacity = Wanted;
  }
};
} // namespace warpwise

// Opcodes, flags and structs of src/ir/inst.rs and src/ir/llvm/walk.rs, which src/ir/build.rs writes as C++.
#include "walk_layout.h"

// Tables that outlive a walk, so that a small function need not make them.
struct WarpwiseTables;

extern "C" {
WarpwiseTables *warpwise_walk_tables();
void warpwise_walk_free(WarpwiseTables *tables);
// Fills an empty snapshot.
void warpwise_walk(LLVMValueRef function, WarpwiseTables *tables, const WarpwiseFlagKinds *kinds,
                   WarpwiseRawSnapshot *snapshot);
// Whether a function has attributes that say something of its launches.
bool warpwise_has_launch_attributes(LLVMValueRef function);
}
